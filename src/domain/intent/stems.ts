/** Words end in these without meaning another thing; the longest comes first. */
const endings = ['ings', 'ing', 'ied', 'ies', 'ed', 'es', 's', 'e'] as const

/** The part of a word that its forms share: `swapping`, `swapped` and `swaps` are `swap`. */
export function stemOf(word: string): string {
  if (word.length < 4 || word.endsWith('ss')) return word
  const ending = endings.find((end) => word.endsWith(end) && word.length - end.length >= 3)
  if (ending === undefined) return word
  const stem = word.slice(0, word.length - ending.length)
  if (ending === 'ied' || ending === 'ies') return `${stem}y`
  const doubled = /([bdgmnprt])\1$/.test(stem) && ending !== 's' && ending !== 'e'
  return doubled ? stem.slice(0, -1) : stem
}

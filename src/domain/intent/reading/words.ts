/** A piece of a text: a word, a number in digits, hex or an id, or a mark. `glued` is true where it touches the piece before. */
export type Word = { kind: 'word' | 'number' | 'hex' | 'mark'; text: string; lower: string; glued: boolean }

/**
 * No alternative backtracks, so the time is linear in the length of the text. A number includes all marks between its
 * digits, for only the whole of it has a value.
 */
const piece =
  /(0x[0-9a-f]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|(\.?\p{N}(?:[\p{N}_]|[.,'’/]+(?=\p{N})|e[+-]?(?=\p{N}))*)|(\p{L}[\p{L}\p{M}\p{N}_'’]*)|([^\s])/giu

/** An article or preposition that has lost its vowel before a word, as in `d'ETH` and `l'ether`. */
const elided = /^((?:[dljnscmt]|qu|un|dell|nell|dall|all|sull)['’])(\p{L}{2,}.*)$/iu

/** The text with composed letters, one kind of apostrophe and no invisible characters. */
function plain(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[\u200b-\u200d\u2060\ufeff\u00ad]/g, '')
    .replaceAll(/(?<=\p{L})[´‘`ʼ＇](?=\p{L})/gu, "'")
}

/** Splits a text into its pieces, in order. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  let end = 0
  for (const match of plain(text).matchAll(piece)) {
    const [found, hex, number, word] = match
    const kind = hex !== undefined ? 'hex' : number !== undefined ? 'number' : word !== undefined ? 'word' : 'mark'
    const glued = match.index === end
    end = match.index + found.length
    const parts = kind === 'word' ? (elided.exec(found)?.slice(1) ?? [found]) : [found]
    for (const [place, text] of parts.entries())
      words.push({ kind, text, lower: text.toLowerCase().replaceAll('’', "'"), glued: glued || place > 0 })
  }
  return words
}

/** Endings that do not change the meaning of a word, the longest first. */
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

/** A word without accents and apostrophes. */
export function folded(word: string): string {
  return word
    .normalize('NFD')
    .replaceAll(/[\p{M}'’]/gu, '')
    .toLowerCase()
}

export function isMark({ kind }: Word): boolean {
  return kind === 'mark'
}

/** True of a class of the word lists whose phrases are stored as they are looked up. */
export function isLookedUp(name: string): boolean {
  return name.startsWith('asks ') || name.startsWith('time ')
}

/** A phrase as it is looked up: its folded words without marks. */
export function keyOf(phrase: string): string {
  return wordsOf(phrase)
    .filter((word) => !isMark(word))
    .map(({ lower }) => folded(lower))
    .join(' ')
}

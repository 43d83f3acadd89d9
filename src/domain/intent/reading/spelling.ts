/** Corrects the spelling of an unknown word. */
export type CorrectSpelling = (word: string) => string

const shortest = 4
const longest = 16

/**
 * Finds the known word that differs by one letter left out, added or replaced, or by two neighbours swapped; `unknown`
 * where there is none. The first of several known words counts.
 */
export function speller(known: Iterable<string>, unknown: string): CorrectSpelling {
  const words = new Set(known)
  const byDeletion = new Map<string, string>()
  for (const word of words)
    if (word.length >= shortest && word.length <= longest)
      for (const deletion of deletionsOf(word)) if (!byDeletion.has(deletion)) byDeletion.set(deletion, word)
  return (word) => {
    if (words.has(word)) return word
    if (word.length < shortest || word.length > longest) return unknown
    const added = deletionsOf(word).find((deletion) => deletion.length >= shortest && words.has(deletion))
    const near =
      added ??
      byDeletion.get(word) ??
      deletionsOf(word).flatMap((deletion) => nearBy(byDeletion.get(deletion), word))[0]
    return near ?? unknown
  }
}

/** The word without one letter, for each of its letters. */
function deletionsOf(word: string): string[] {
  return Array.from(word, (_letter, at) => word.slice(0, at) + word.slice(at + 1))
}

/** Keeps a word of the same length that differs by one letter or by two swapped neighbours. */
function nearBy(found: string | undefined, word: string): string[] {
  if (found === undefined || found.length !== word.length) return []
  const differing = [...word].flatMap((letter, at) => (letter === found[at] ? [] : [at]))
  const [first = 0, second = first] = differing
  const swapped = differing.length === 2 && second === first + 1 && word[first] === found[second]
  return found[0] === word[0] && (differing.length === 1 || swapped) ? [found] : swapped ? [found] : []
}

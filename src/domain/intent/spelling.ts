/** Mends the spelling of a word that is not known. */
export type Mend = (word: string) => string

const shortest = 4
const longest = 16

/**
 * Finds the known word that a word was meant to be, one letter left out, added, exchanged or swapped with its neighbour;
 * `unknown` where none is so near. The earlier of several known words is taken.
 */
export function speller(known: Iterable<string>, unknown: string): Mend {
  const words = new Set(known)
  const byHole = new Map<string, string>()
  for (const word of words)
    if (word.length >= shortest && word.length <= longest)
      for (const hole of holesOf(word)) if (!byHole.has(hole)) byHole.set(hole, word)
  return (word) => {
    if (words.has(word)) return word
    if (word.length < shortest || word.length > longest) return unknown
    const added = holesOf(word).find((hole) => hole.length >= shortest && words.has(hole))
    const near = added ?? byHole.get(word) ?? holesOf(word).flatMap((hole) => nearBy(byHole.get(hole), word))[0]
    return near ?? unknown
  }
}

/** A word with one letter left out, for each of its letters. */
function holesOf(word: string): string[] {
  return Array.from(word, (_letter, at) => word.slice(0, at) + word.slice(at + 1))
}

/** Two words of the same length that share a hole differ by one letter, or by one that stands elsewhere. */
function nearBy(found: string | undefined, word: string): string[] {
  if (found === undefined || found.length !== word.length) return []
  const differing = [...word].flatMap((letter, at) => (letter === found[at] ? [] : [at]))
  const [first = 0, second = first] = differing
  const swapped = differing.length === 2 && second === first + 1 && word[first] === found[second]
  return found[0] === word[0] && (differing.length === 1 || swapped) ? [found] : swapped ? [found] : []
}

/** A piece of a text: a word, a number in digits, hex, or a mark. `glued` is true where nothing stands between it and the piece before. */
export type Word = { kind: 'word' | 'number' | 'hex' | 'mark'; text: string; lower: string; glued: boolean }

/**
 * Every alternative reads on without ever going back, so that a text costs what it is long. A number reaches over all
 * marks that stand between its digits, for only the whole of it says how much it is.
 */
const piece =
  /(0x[0-9a-f]+)|(\.?\p{N}(?:[\p{N}_]|[.,'’/]+(?=\p{N})|e[+-]?(?=\p{N}))*)|(\p{L}[\p{L}\p{M}\p{N}_'’]*)|([^\s])/giu

/** Cuts a text into its pieces, in order. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  let end = 0
  for (const match of text.matchAll(piece)) {
    const [found, hex, number, word] = match
    const kind = hex !== undefined ? 'hex' : number !== undefined ? 'number' : word !== undefined ? 'word' : 'mark'
    words.push({ kind, text: found, lower: found.toLowerCase().replaceAll('’', "'"), glued: match.index === end })
    end = match.index + found.length
  }
  return words
}

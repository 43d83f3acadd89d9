import type { Word } from './words.ts'

/** The most words of a phrase of any list. */
const mostWordsOfPhrase = 6

/** The longest phrase of a list that begins at a word, and what it means. */
export function phraseAt<Meaning>(
  meanings: ReadonlyMap<string, Meaning>,
  words: readonly Word[],
  at: number,
): { meaning: Meaning; next: number } | null {
  for (let length = Math.min(mostWordsOfPhrase, words.length - at); length > 0; length -= 1) {
    const phrase = words.slice(at, at + length).map(({ lower }) => lower)
    const meaning = meanings.get(phrase.join(' '))
    if (meaning !== undefined) return { meaning, next: at + length }
  }
  return null
}

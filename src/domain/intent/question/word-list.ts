import { words as lists } from '../../../../generated/intent/words.ts'
import { phraseAt } from '../reading/phrases.ts'
import { type CorrectSpelling, speller } from '../reading/spelling.ts'
import { folded, isLookedUp, keyOf, type Word } from '../reading/words.ts'

export type Language = keyof typeof lists

export const languages = Object.keys(lists) as Language[]

/** The words of questions in a language. Accents, apostrophes and the s of a plural make no difference. */
export type WordList = {
  language: Language
  /** What a phrase asks, by its words. */
  classes: ReadonlyMap<string, string>
  /** Numbers in words, by the words of a phrase. */
  numbers: ReadonlyMap<string, string>
  /** English words of time, by the words of a phrase. */
  times: ReadonlyMap<string, string>
  /** The known word that an unknown one is a misspelling of; null where there is none. */
  correct: (word: string) => string | null
}

/** A letter more, less or in another place makes a shorter word another word. */
const shortestMisspelt = 5

/** Words of any list, which are no misspellings in another. */
const written = new Set(
  Object.values(lists).flatMap((list) =>
    Object.entries(list).flatMap(([name, phrases]) => {
      const words = phrases.split(/, | /)
      return isLookedUp(name) ? words : words.map(folded)
    }),
  ),
)

/** True of a word that some list has, by itself or in a phrase: it is no name. */
export function isWritten(word: string): boolean {
  return written.has(folded(word))
}

function listOf(language: Language): WordList {
  const [classes, times, numbers] = ['asks ', 'time ', 'number '].map((kind) => phrasesOf(language, kind)) as [
    Named,
    Named,
    Named,
  ]
  let made: CorrectSpelling | undefined
  // Made for the first unknown word: most texts have none.
  const spell = (word: string) => {
    made ??= speller(new Set([...classes.keys(), ...times.keys()].flatMap((phrase) => phrase.split(' '))), '')
    return made(word)
  }
  const correct = (word: string) => {
    if (written.has(word)) return null
    const meant = spell(word)
    const isTurned = sorted(meant) === sorted(word)
    return meant === '' || (!isTurned && (meant[0] !== word[0] || word.length < shortestMisspelt)) ? null : meant
  }
  return { language, classes, times, numbers, correct }
}

type Named = Map<string, string>

/** The generator has written the phrases of questions and times as they are looked up. */
function phrasesOf(language: Language, kind: string): Named {
  const named: Named = new Map()
  for (const [name, phrases] of Object.entries(lists[language])) {
    if (!name.startsWith(kind)) continue
    for (const phrase of phrases.split(', '))
      named.set(isLookedUp(name) ? phrase : keyOf(phrase), name.slice(kind.length))
  }
  return named
}

function sorted(word: string): string {
  return [...word].sort().join('')
}

export const wordLists: ReadonlyMap<Language, WordList> = new Map(languages.map((name) => [name, listOf(name)]))

/** The longest phrase that begins at a folded word, else the word without the s of a plural, and what it means. */
export function meaningAt(
  meanings: ReadonlyMap<string, string>,
  words: readonly Word[],
  at: number,
): { meaning: string; next: number } | null {
  const phrase = phraseAt(meanings, words, at)
  const word = words[at]?.lower ?? ''
  if (phrase !== null || word.length < shortestPlural) return phrase
  const meaning = meanings.get(word.replace(/s$/, ''))
  return meaning === undefined ? null : { meaning, next: at + 1 }
}

const shortestPlural = 4

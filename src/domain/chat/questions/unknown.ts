import { nearestTo, type Question } from '../../intent/question/rules.ts'
import { type Language, wordLists } from '../../intent/question/word-list.ts'
import type { About } from './context.ts'
import { isSentence, type Sentence, say } from './sentences.ts'

/** Questions that are offered where a text is not read whole. */
const mostNear = 3
const usual: readonly Question[] = ['worth', 'price', 'trades']

/**
 * What is said where a question is not covered: that it is not known, what of it was understood, and questions near it. It
 * is never an answer to a part of the question.
 */
export function unknownText({ classes, unknown, language }: About): string {
  const known = knownWords(classes, language)
  const nearest = nearestTo(classes, mostNear)
  const near = nearest.length > 0 ? nearest : usual
  const examples = near.flatMap((question) => {
    const key = `example.${question}`
    return isSentence(key) ? [`"${say(language, key)}"`] : []
  })
  const words = unknown.slice(0, 5).join('", "').slice(0, 80)
  const part: Sentence = unknown.length === 0 ? 'unknown.whole' : 'unknown.part'
  const understood = known === '' ? 'unknown.nothing' : part
  return [
    say(language, 'unknown'),
    say(language, understood, { known, words }),
    say(language, 'unknown.near', { examples: examples.join(', ') }),
  ].join(' ')
}

/** Classes of words that are no subject. */
const silent: ReadonlySet<string> = new Set(
  'filler what how show greet thanks follow pronoun mine hold now name token time number dollars can get'.split(' '),
)
const mostKnown = 4

/** The subjects of a text, each by the first word of its class. */
function knownWords(classes: readonly string[], language: Language): string {
  const list = wordLists.get(language)?.classes ?? new Map<string, string>()
  const subjects = classes.filter((name) => !silent.has(name) && !name.includes(' '))
  const words = subjects.flatMap((name) => {
    const word = [...list].find(([, one]) => one === name)?.[0]
    return word === undefined ? [] : [word]
  })
  return words.slice(0, mostKnown).join(', ')
}

/** Says how misspelt words were read, and that no other currency than the dollar is known. */
export function readingText({ corrected, currency, language }: About): string {
  const read = corrected.map(([written, meant]) => say(language, 'read.as', { written, meant }))
  const other = currency === null ? [] : [say(language, 'unknown.currency', { currency })]
  return [...read, ...other].map((sentence) => `${sentence}\n`).join('')
}

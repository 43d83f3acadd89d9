import { sentences } from '../../../../generated/intent/sentences.ts'
import { nearestTo, type Question } from '../../intent/question/rules.ts'
import type { Language } from '../../intent/question/word-list.ts'
import type { About } from './context.ts'
import { type Sentence, say } from './sentences.ts'

/** Questions that are offered where a text is not read whole. */
const mostNear = 3
const usual: readonly Question[] = ['worth', 'price', 'trades']

/**
 * What is said where a question is not covered: that it is not known, what of it was understood, and questions near it. It
 * is never an answer to a part of the question.
 */
export function unknownText({ classes, known, unknown, language }: About): string {
  const nearest = examplesOf(nearestTo(classes), language)
  const examples = nearest.length > 0 ? nearest : examplesOf(usual, language)
  const words = { known: known.slice(0, mostWords).join(', '), words: unknown.slice(0, mostWords).join('", "') }
  const understood: Sentence =
    known.length === 0 ? 'unknown.nothing' : unknown.length === 0 ? 'unknown.whole' : 'unknown.part'
  return [
    say(language, 'unknown'),
    say(language, understood, {
      known: words.known.slice(0, mostCharacters),
      words: words.words.slice(0, mostCharacters),
    }),
    say(language, 'unknown.near', { examples: examples.slice(0, mostNear).join(', ') }),
  ].join(' ')
}

/** Words of the text that are repeated to the caller, and their characters. */
const [mostWords, mostCharacters] = [5, 120]

/** Examples of questions that the language has. */
function examplesOf(questions: readonly Question[], language: Language): string[] {
  const own: Partial<Record<string, string>> = sentences[language]
  return questions.flatMap((question) => {
    const example = own[`example.${question}`]
    return example === undefined ? [] : [`"${example}"`]
  })
}

/** Says how misspelt words were read, and that no other currency than the dollar is known. */
export function readingText({ corrected, currency, language }: About): string {
  const read = corrected.map(([written, meant]) => say(language, 'read.as', { written, meant }))
  const other = currency === null ? [] : [say(language, 'unknown.currency', { currency })]
  return [...read, ...other].map((sentence) => `${sentence}\n`).join('')
}

import type { Mention } from '../reading/mentions.ts'
import { type Period, readPeriod } from '../reading/period.ts'
import { speller } from '../reading/spelling.ts'
import { tokenCalledIn, tokenNamesOf, type Vocabulary } from '../reading/vocabulary.ts'
import type { Word } from '../reading/words.ts'
import { isSubject, type Question, questionOf } from './rules.ts'
import { folded, isMark, type Language, languages, phraseAt, type WordList, wordLists } from './word-list.ts'

/** What a text asks, read in one language. */
export type Asked = {
  /** The question that takes every word of the text; null where none does. */
  question: Question | null
  language: Language
  /** What its words ask, and the kinds of the things that it names. */
  classes: readonly string[]
  /** The words that name what it is about, as they are written. */
  known: readonly string[]
  tokens: readonly string[]
  /** Words that mean nothing here, as they are written. */
  unknown: readonly string[]
  /** Misspelt words, with the words that they are read as. */
  corrected: readonly (readonly [written: string, meant: string])[]
  /** The code of a currency other than the dollar. */
  currency: string | null
  period: Period | null
  /** A number that counts things, such as that of `last 5 trades`. */
  count: number | null
}

/** A longer text is no question. */
const mostWords = 60

/** Words of these classes mean a unit in a question, though they name a token elsewhere. */
const units: ReadonlySet<string> = new Set(['dollars', 'gwei', 'byte'])
const currencyClass = 'currency '

/** Reads what a text asks, in the language that leaves the fewest of its words unread. Pure. */
export function readQuestion(
  written: readonly Word[],
  mentions: readonly Mention[],
  vocabulary: Vocabulary,
  now: Date,
): Asked {
  const kept = written.flatMap((word, at) => (isMark(word) && word.lower !== '$' ? [] : [at]))
  const words = kept.slice(0, mostWords + 1).map((at) => written[at] as Word)
  const placeOf = (at: number) => kept.filter((place) => place < at).length
  const named = new Map(mentions.map((one) => [placeOf(one.at), { ...one, next: placeOf(one.next) }]))
  const read = languages.map((language) => readIn(language, { words, named, vocabulary, now }))
  return read.reduce((best, one) => (costOf(one) < costOf(best) ? one : best))
}

/** A question that is read, and words that are known, make a language likely. */
function costOf({ question, unknown, corrected }: Asked): number {
  return unknown.length + corrected.length / 2 + (question === null ? 0.75 : 0)
}

type Text = {
  words: readonly Word[]
  /** The things that the text names, by the place of their first word. */
  named: ReadonlyMap<number, Mention>
  vocabulary: Vocabulary
  now: Date
}

/** What a word says, with the place of the next one. */
type Piece = {
  classes: readonly string[]
  next: number
  token?: string
  unknown?: string
  corrected?: [string, string]
}

function readIn(language: Language, text: Text): Asked {
  const list = wordLists.get(language) as WordList
  const period = periodIn(list, text)
  const pieces: (Piece & { words: string })[] = []
  for (let at = 0; at < text.words.length; ) {
    const piece =
      at === period?.at ? { classes: ['time'], next: period.next } : (nameAt(list, text, at) ?? wordAt(list, text, at))
    pieces.push({
      ...piece,
      words: text.words
        .slice(at, piece.next)
        .map((word) => word.text)
        .join(' '),
    })
    at = piece.next
  }
  const classes = [...new Set(pieces.flatMap((piece) => piece.classes))]
  const unknown = text.words.length > mostWords ? [''] : pieces.flatMap((piece) => piece.unknown ?? [])
  const corrected = pieces.flatMap((piece) => (piece.corrected === undefined ? [] : [piece.corrected]))
  return {
    question: questionOf(new Set(classes), unknown.length, corrected.length > 0),
    language,
    classes,
    known: [...new Set(pieces.flatMap(({ classes, words }) => (classes.some(isSubject) ? [words] : [])))],
    tokens: [...new Set(pieces.flatMap(({ token }) => token ?? []))],
    unknown,
    corrected,
    currency:
      classes
        .find((name) => name.startsWith(currencyClass))
        ?.slice(currencyClass.length)
        .toUpperCase() ?? null,
    period,
    count: countIn(list, text.words, period),
  }
}

/** The thing that the text names there. */
function nameAt(list: WordList, { words, named }: Text, at: number): Piece | null {
  const mention = named.get(at)
  const phrase = phraseAt(list.classes, words, at)
  if (mention === undefined || (phrase !== null && units.has(phrase.name))) return null
  const { kind, name, next } = mention
  const isBitcoin = kind === 'token' && /^(bitcoins?|btc)$/i.test(words[at]?.text ?? '')
  return { classes: isBitcoin ? [kind, 'bitcoin'] : [kind], next, ...(kind === 'token' ? { token: name } : {}) }
}

function wordAt(list: WordList, { words, vocabulary }: Text, at: number): Piece {
  const phrase = phraseAt(list.classes, words, at)
  if (phrase !== null) return { classes: [phrase.name], next: phrase.next }
  const { kind, text } = words[at] as Word
  const next = at + 1
  const number = phraseAt(list.numbers, words, at)
  if (kind === 'number' || number !== null) return { classes: ['number'], next: number?.next ?? next }
  if (kind === 'hex' && text.length === idLength) return { classes: ['execution'], next }
  const word = folded(text)
  const meant = kind === 'word' ? list.correct(word) : null
  if (meant !== null) return { classes: [list.classes.get(meant) ?? 'time'], next, corrected: [text, meant] }
  const token = kind === 'word' ? tokenMeant(word, vocabulary) : null
  if (token !== null) return { classes: ['token'], next, token, corrected: [text, token] }
  return { classes: [], next, unknown: text }
}

/** Characters of the id of an execution. */
const idLength = 36

/** The token whose name a word misspells. */
function tokenMeant(word: string, vocabulary: Vocabulary): string | null {
  const meant = speller(tokenNamesOf(vocabulary), '')(word)
  return meant === '' || meant[0] !== word[0] || word.length < 5 ? null : tokenCalledIn(vocabulary, meant)
}

/** The time that a text names: its words of time are read as their English. Other words of another language are none. */
function periodIn({ times, language }: WordList, { words, now }: Text): Period | null {
  const english: Word[] = []
  const starts: number[] = []
  for (let at = 0; at < words.length; ) {
    const word = words[at] as Word
    const phrase = phraseAt(times, words, at)
    const isKept = language === 'en' || word.kind === 'number'
    const read = phrase === null ? [isKept ? word.lower : '-'] : phrase.name.split(' ')
    for (const text of read) {
      const isNumber = /^\d/.test(text)
      english.push({ kind: isNumber ? 'number' : 'word', text, lower: text, glued: word.glued })
      starts.push(at)
    }
    at = phrase?.next ?? at + 1
  }
  const period = readPeriod(english, now)
  if (period === null) return null
  return { ...period, at: starts[period.at] as number, next: starts[period.next] ?? words.length }
}

/** The first whole number outside of the time, in digits or in words. */
function countIn({ numbers }: WordList, words: readonly Word[], period: Period | null): number | null {
  const counted = words.flatMap(({ kind, text, lower }, at) => {
    if (period !== null && at >= period.at && at < period.next) return []
    const digits = kind === 'number' ? text : (numbers.get(folded(lower)) ?? '')
    return /^\d{1,4}$/.test(digits) && digits !== '1' ? [Number(digits)] : []
  })
  return counted[0] ?? null
}

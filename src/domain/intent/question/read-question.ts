import type { Mention } from '../reading/mentions.ts'
import { type Period, readPeriod } from '../reading/period.ts'
import { type CorrectSpelling, speller } from '../reading/spelling.ts'
import { tokenCalledIn, tokenNamesOf, type Vocabulary } from '../reading/vocabulary.ts'
import { folded, isMark, type Word } from '../reading/words.ts'
import { isSubject, type Question, questionOf } from './rules.ts'
import { isWritten, type Language, languages, meaningAt, type WordList, wordLists } from './word-list.ts'

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
  /** How many words were left out with the remarks that they stand in. */
  remarked: number
  /** A number that counts things, such as that of `last 5 trades`. */
  count: number | null
}

/** A longer text is no question. */
const mostWords = 60

/** Words of these classes mean a unit in a question, though they name a token elsewhere. */
const units: ReadonlySet<string> = new Set(['dollars', 'gwei', 'byte'])
const currencyClass = 'currency '
const clauseEnds: ReadonlySet<string> = new Set([',', '.', ';', ':', '!', '?', '…', '–', '—', '(', ')'])

/** Reads what a text asks, in the language that leaves the fewest of its words unread. Pure. */
export function readQuestion(
  written: readonly Word[],
  mentions: readonly Mention[],
  vocabulary: Vocabulary,
  now: Date,
): Asked {
  const kept = written.flatMap((word, at) => (isMark(word) && word.lower !== '$' ? [] : [at])).slice(0, mostWords + 1)
  const words = kept.map((at) => written[at] as Word).map((word) => ({ ...word, lower: folded(word.lower) }))
  const end = (kept.at(-1) ?? 0) + 1
  const ends = written.slice(0, end).flatMap((word, at) => (clauseEnds.has(word.lower) ? [at] : []))
  const clauses = kept.map((at) => ends.filter((end) => end < at).length)
  const placeOf = (at: number) => kept.filter((place) => place < at).length
  const named = new Map(
    mentions.filter(({ at }) => at < end).map((one) => [placeOf(one.at), { ...one, next: placeOf(one.next) }]),
  )
  const read = languages.map((language) => readIn(language, { words, clauses, named, vocabulary, now }))
  return read.reduce((best, one) => (costOf(one) < costOf(best) ? one : best))
}

/** A question that is read, and words that are known, make a language likely. */
function costOf({ question, unknown, corrected, remarked }: Asked): number {
  return unknown.length + remarked / 2 + corrected.length / 2 + (question === null ? 0.75 : 0)
}

type Text = {
  words: readonly Word[]
  /** The number of the clause of each word. */
  clauses: readonly number[]
  /** The things that the text names, by the place of their first word. */
  named: ReadonlyMap<number, Mention>
  vocabulary: Vocabulary
  now: Date
}

/** What a word says, with the place of the next one. */
type Piece = { classes: readonly string[]; at: number; next: number; token?: string; isUnknown?: true }

/** Reads a text in a language, with misspelt words as what they are meant to be. */
function readIn(language: Language, text: Text): Asked {
  const list = wordLists.get(language) as WordList
  const asWritten = piecesOf(list, text)
  const corrected = asWritten.pieces.flatMap(({ at, isUnknown }) => {
    const word = text.words[at] as Word
    const meant = isUnknown && word.kind === 'word' ? meantBy(word, list, text.vocabulary) : null
    return meant === null ? [] : [{ at, written: word.text, meant }]
  })
  const meant = new Map(corrected.map((one) => [one.at, one.meant]))
  const words = text.words.map((word, at) => ({ ...word, lower: meant.get(at) ?? word.lower }))
  const { pieces: all, period } = corrected.length === 0 ? asWritten : piecesOf(list, { ...text, words })
  const some = withoutRemarks(all, text.clauses)
  const pieces = some.some(({ classes }) => classes.some(isSubject)) ? some : all
  const classes = [...new Set(pieces.flatMap((piece) => piece.classes))]
  const unread = pieces.filter(({ isUnknown }) => isUnknown)
  const isOwn = ({ at }: Piece) => !isWritten((words[at] as Word).lower)
  const names = unread.filter((piece) => isOwn(piece) && isName(pieces, piece)).length
  const unknown = text.words.length > mostWords ? [''] : unread.map(({ at }) => (text.words[at] as Word).text)
  return {
    question: questionOf(new Set(classes), { count: unknown.length, names, isCorrected: corrected.length > 0 }),
    language,
    classes,
    known: [
      ...new Set(pieces.flatMap(({ classes, at, next }) => (classes.some(isSubject) ? [spanOf(text, at, next)] : []))),
    ],
    tokens: [...new Set(pieces.flatMap(({ token }) => token ?? []))],
    unknown,
    corrected: corrected.map((one) => [one.written, one.meant]),
    currency:
      classes
        .find((name) => name.startsWith(currencyClass))
        ?.slice(currencyClass.length)
        .toUpperCase() ?? null,
    period,
    remarked: all.length - pieces.length,
    count: countIn(list, text.words, period),
  }
}

function spanOf({ words }: Text, at: number, next: number): string {
  return words
    .slice(at, next)
    .map(({ text }) => text)
    .join(' ')
}

function piecesOf(list: WordList, text: Text): { pieces: Piece[]; period: Period | null } {
  const period = periodIn(list, text)
  const pieces: Piece[] = []
  for (let at = 0; at < text.words.length; at = pieces.at(-1)?.next ?? at + 1) {
    if (at === period?.at) pieces.push({ classes: ['time'], at, next: period.next })
    else pieces.push(nameAt(list, text, at) ?? wordAt(list, text, at))
  }
  return { pieces, period }
}

/**
 * The text without the clauses that only remark: `sorry, my boss is curious`. Such a clause has a word without a meaning,
 * names nothing, and adds nothing by a word such as `in` or `and`.
 */
function withoutRemarks(pieces: readonly Piece[], clauses: readonly number[]): readonly Piece[] {
  const isRemark = ([first, ...others]: readonly Piece[]) =>
    first !== undefined &&
    others.length > 0 &&
    !first.classes.some((name) => name === 'in' || name === 'follow') &&
    [first, ...others].some(({ isUnknown }) => isUnknown) &&
    [first, ...others].every(({ classes }) => !classes.some((name) => isSubject(name) || name === 'number'))
  const said = [...Map.groupBy(pieces, ({ at }) => clauses[at]).values()].filter((clause) => !isRemark(clause))
  return said.length === 0 ? pieces : said.flat()
}

/** True of a word without a meaning where the name of a wallet stands: `in savings`, `savings wallet`, `wallet savings`. */
function isName(pieces: readonly Piece[], piece: Piece): boolean {
  const place = pieces.indexOf(piece)
  const [before, behind] = [pieces[place - 1]?.classes ?? [], pieces[place + 1]?.classes ?? []]
  const isWallet = (name: string) => name === 'wallet' || name === 'portfolio'
  return before.includes('in') || [...before, ...behind].some(isWallet)
}

/** The thing that the text names there. */
function nameAt(list: WordList, { words, named }: Text, at: number): Piece | null {
  const mention = named.get(at)
  const phrase = meaningAt(list.classes, words, at)
  if (mention === undefined || (phrase !== null && units.has(phrase.meaning))) return null
  const { kind, name, next } = mention
  const isBitcoin = kind === 'token' && /^(bitcoins?|btc)$/i.test(words[at]?.text ?? '')
  return { classes: isBitcoin ? [kind, 'bitcoin'] : [kind], at, next, ...(kind === 'token' ? { token: name } : {}) }
}

function wordAt(list: WordList, { words, vocabulary }: Text, at: number): Piece {
  const phrase = meaningAt(list.classes, words, at)
  if (phrase !== null) return { classes: [phrase.meaning], at, next: phrase.next }
  const { kind, text, lower } = words[at] as Word
  const next = at + 1
  const number = meaningAt(list.numbers, words, at)
  if (kind === 'number' || number !== null) return { classes: ['number'], at, next: number?.next ?? next }
  if (kind === 'hex' && text.length === idLength) return { classes: ['execution'], at, next }
  const token = lower === folded(text) ? null : tokenCalledIn(vocabulary, lower)
  return token === null ? { classes: [], at, next, isUnknown: true } : { classes: ['token'], at, next, token }
}

/** Characters of the id of an execution. */
const idLength = 36

/** The word of the list, or else the name of a token, that a word misspells. */
function meantBy({ lower }: Word, list: WordList, vocabulary: Vocabulary): string | null {
  const named = tokenSpeller(vocabulary)(lower)
  return list.correct(lower) ?? (named[0] === lower[0] && lower.length >= shortestName ? named : null)
}

const tokenSpellers = new WeakMap<Vocabulary, CorrectSpelling>()

/** The speller of the names of tokens, made once for a vocabulary. */
function tokenSpeller(vocabulary: Vocabulary): CorrectSpelling {
  const known = tokenSpellers.get(vocabulary) ?? speller(tokenNamesOf(vocabulary), '')
  tokenSpellers.set(vocabulary, known)
  return known
}

/** A shorter name is too near to other words. */
const shortestName = 5

/** The time that a text names: its words of time are read as their English. Other words of another language are none. */
function periodIn({ times, language }: WordList, { words, now }: Text): Period | null {
  const english: Word[] = []
  const starts: number[] = []
  for (let at = 0; at < words.length; ) {
    const word = words[at] as Word
    const phrase = meaningAt(times, words, at)
    const isKept = language === 'en' || word.kind === 'number'
    const read = phrase === null ? [isKept ? word.lower : '-'] : phrase.meaning.split(' ')
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
    const digits = kind === 'number' ? text : (numbers.get(lower) ?? '')
    return /^\d{1,4}$/.test(digits) ? [Number(digits)] : []
  })
  return counted[0] ?? null
}

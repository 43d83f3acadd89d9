import { type Decimal, decimalOf, decimalText, fits, shifted, sum } from '../../values/decimals.ts'
import type { Mention } from '../reading/mentions.ts'
import { readNumber } from '../reading/numbers.ts'
import { phraseAt } from '../reading/phrases.ts'
import { readShare } from '../reading/shares.ts'
import { type Percentage, percentageAt } from '../reading/slippage.ts'
import type { Word } from '../reading/words.ts'
import type { Grammar } from './grammar.ts'

/** How much of a token: an exact `value` in its units or in dollars, or a `share` of what is held. */
export type Quantity = { value: string | null; share: string | null; currency: 'token_units' | 'usd' }

/** A text with what is read of it already. */
export type Reading = {
  words: readonly Word[]
  /** Mentions of tokens that may be traded, by the index of their first word. */
  tokens: ReadonlyMap<number, Mention>
  percentages: readonly Percentage[]
  /** Indexes of words that belong to something else. */
  taken: ReadonlySet<number>
}

/** A quantity and the index behind it; null where a number stands there that cannot be read for certain. */
export type Counted = { quantity: Quantity | null; next: number }

const subunits = new Map([
  ['wei', -18],
  ['gwei', -9],
  ...['sats', 'sat', 'satoshi', 'satoshis'].map((name): [string, number] => [name, -8]),
])

/** Marks of other currencies and scales, which make a number one of something else. */
const foreign = new Set('€ £ ¥ ₹ ₩ ₽ ¢ ‰ √ $ % °'.split(' '))

/** Words for a decimal point, and between two numbers. */
const points = new Set('coma komma virgule vírgula virgola punto punkt point ponto'.split(' '))

/** The number or the share that begins at a word. */
export function readQuantity(grammar: Grammar, reading: Reading, at: number): Counted | null {
  const { words, percentages, tokens } = reading
  const part = phraseAt(grammar.shares, words, at)
  if (part !== null && tokenBehind(grammar, reading, part.next) !== null)
    return isHeld(grammar, words, at, part.next)
      ? ofShare(part.meaning, part.next)
      : { quantity: null, next: part.next }
  const percentage = percentageAt(percentages, at)
  const behind = percentage === undefined ? null : phraseAt(grammar.kinds, words, percentage.next)
  const share = readShare(words, at, percentages, ['of', 'mine', 'from'].includes(behind?.meaning ?? ''))
  if (share !== null) return ofShare(share.fraction, share.next)
  if (percentage !== undefined) return { quantity: null, next: percentage.next }
  const number = readNumber(words, at, grammar.language === 'en' ? 'comma' : 'none')
  if (number === null) return readWords(grammar, reading, at)
  const places = subunits.get(words[number.next]?.lower ?? '') ?? 0
  const isForeign = [words[at - 1], words[number.next]].some(
    (word) => foreign.has(word?.lower ?? '') && !tokens.has(at - 1),
  )
  if (number.value === null || isForeign) return { quantity: null, next: number.next }
  return withTail(
    grammar,
    words,
    inThousands(grammar, words, { value: shifted(number.value, places), next: number.next }),
  )
}

/** True of a share that says of whose holdings it is: `la mitad de mis`, `alle meine`. */
function isHeld(grammar: Grammar, words: readonly Word[], at: number, next: number): boolean {
  for (let index = at; index < next + 3; index += 1)
    if (['mine', 'from'].includes(phraseAt(grammar.kinds, words, index)?.meaning ?? '')) return true
  return words[at]?.lower === 'all'
}

/** Adds `and a half` where it stands behind a number or its token. */
export function withTail(grammar: Grammar, words: readonly Word[], { value, next }: Found): Counted {
  const tail = phraseAt(grammar.tails, words, next)
  return tail === null ? ofValue(value, next) : ofValue(sum(value, decimalAs(tail.meaning)), tail.next)
}

type Found = { value: Decimal; next: number }

function ofShare(share: string, next: number): Counted {
  return { quantity: { value: null, share, currency: 'token_units' }, next }
}

function ofValue(value: Decimal, next: number): Counted {
  return { quantity: fits(value) ? { value: decimalText(value), share: null, currency: 'token_units' } : null, next }
}

const fractions: Readonly<Record<string, string>> = {
  '1/4': '0.25',
  '1/2': '0.5',
  '3/4': '0.75',
  '3/2': '1.5',
  '5/2': '2.5',
}

function decimalAs(meaning: string): Decimal {
  return decimalOf(fractions[meaning] ?? meaning, 'comma') ?? { units: 0n, scale: 0 }
}

/** A number in words, where a token stands behind it; without one, a fraction cannot be read and anything else is no number. */
function readWords(grammar: Grammar, reading: Reading, at: number): Counted | null {
  const { words } = reading
  const isArticle = grammar.language === 'en' && ['a', 'an'].includes(words[at]?.lower ?? '')
  const first = phraseAt(grammar.numbers, words, at) ?? (isArticle ? { meaning: '1', next: at + 1 } : null)
  if (first === null) return null
  const found =
    first.meaning in fractions
      ? { value: decimalAs(first.meaning), next: first.next }
      : wholeNumber(grammar, words, first)
  if (goesOn(grammar, words, found.next)) return { quantity: null, next: found.next }
  const counted = withTail(grammar, words, found)
  if (tokenBehind(grammar, reading, counted.next) !== null) return counted
  return first.meaning in fractions ? { quantity: null, next: first.next } : null
}

/** True where a number in words goes on in a way that is not read: `dos coma cinco`, `vingt et un`. */
function goesOn(grammar: Grammar, words: readonly Word[], at: number): boolean {
  const isNumber = (from: number) => words[from]?.kind === 'number' || phraseAt(grammar.numbers, words, from) !== null
  if (phraseAt(grammar.tails, words, at) !== null) return false
  let from = at
  while (words[from]?.lower === '-' || joints.has(words[from]?.lower ?? '') || points.has(words[from]?.lower ?? ''))
    from += 1
  return isNumber(from)
}

const joints = new Set(['y', 'e', 'et', 'und', 'ed'])

/** `dos mil quinientos`, `trinta e cinco`. */
function wholeNumber(grammar: Grammar, words: readonly Word[], first: { meaning: string; next: number }): Found {
  let total = 0n
  let group = BigInt(first.meaning)
  let { next } = first
  if (group === 1000n) [total, group] = [1000n, 0n]
  for (;;) {
    const from = joints.has(words[next]?.lower ?? '') ? next + 1 : next
    const part = phraseAt(grammar.numbers, words, from)
    if (part === null || part.meaning in fractions) break
    const value = BigInt(part.meaning)
    if (value === 1000n && total === 0n && group > 0n) [total, group] = [group * 1000n, 0n]
    else if (value === 100n && group > 1n && group < 10n) group *= 100n
    else if (value < 100n && group % 100n === 0n && value > 1n) group += value
    else if (value < 10n && value > 1n && group % 10n === 0n) group += value
    else if (value >= 100n && value < 1000n && group === 0n) group += value
    else break
    next = part.next
  }
  return { value: { units: total + group, scale: 0 }, next }
}

/** `2 mil`, `3 tausend`. */
function inThousands(grammar: Grammar, words: readonly Word[], { value, next }: Found): Found {
  const word = phraseAt(grammar.numbers, words, next)
  return word?.meaning === '1000' ? { value: shifted(value, 3), next: word.next } : { value, next }
}

/** The token that a number counts, over words such as `of my` between. */
export function tokenBehind(grammar: Grammar, { words, tokens }: Reading, from: number): Mention | null {
  for (let at = from, step = 0; step < 4; step += 1) {
    const token = tokens.get(at)
    if (token !== undefined) return token
    const between = phraseAt(grammar.kinds, words, at)
    if (between !== null && ['of', 'mine', 'from'].includes(between.meaning)) at = between.next
    else if (fillers.has(words[at]?.lower ?? '')) at += 1
    else return null
  }
  return null
}

/** Words between a number and its token in any language. */
const fillers = new Set(
  'the more some units unit tokens token coins coin extra additional full own other stück los las gli die der den les i le'.split(
    ' ',
  ),
)

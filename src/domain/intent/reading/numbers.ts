import {
  type Decimal,
  decimalOf,
  fits,
  fractionOf,
  mostDigits,
  shifted,
  sum,
  type Thousands,
} from '../../values/decimals.ts'
import type { Word } from './words.ts'

/** A number and the index of the word after it; null where the text is ambiguous. */
type NumberFound = { value: Decimal | null; next: number }

type Known = { value: Decimal; next: number }

const ones = 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen'
const small = new Map<string, bigint>([
  ...`${ones} seventeen eighteen nineteen`.split(' ').map((name, value): [string, bigint] => [name, BigInt(value)]),
  ...'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((name, index): [string, bigint] => [name, BigInt(20 + 10 * index)]),
  ['fourty', 40n],
  ['single', 1n],
])

/** Decimal places by which a word after a number moves the point. */
const powers = new Map([
  ...['hundred'].map((name) => [name, 2] as const),
  ...['k', 'thousand', 'grand'].map((name) => [name, 3] as const),
  ...['m', 'mm', 'mio', 'million'].map((name) => [name, 6] as const),
  ...['b', 'bn', 'billion'].map((name) => [name, 9] as const),
])
/** Letters that are such a word only where they touch the number. */
const letters = new Set(['k', 'm', 'mm', 'b', 'bn'])

const articles = new Set(['a', 'an', 'the'])
const determiners = new Set('this that the new old which'.split(' '))
const occasions = new Set('go shot place time'.split(' '))
const things = new Set('coin token asset stable stablecoin chain'.split(' '))
const half: Decimal = { units: 5n, scale: 1 }
const quarter: Decimal = { units: 25n, scale: 2 }

/** The number that begins at a word, in digits or in words: `1,000`, `0,5`, `1e3`, `1 1/2`, `two and a half`, `half a million`. */
export function readNumber(words: readonly Word[], at: number, thousands: Thousands = 'comma'): NumberFound | null {
  if (isPronoun(words, at)) return null
  const found = readDigits(words, at, thousands) ?? readFraction(words, at) ?? readCardinal(words, at)
  if (found === null) return null
  if (found.value === null) return { value: null, next: numbersEnd(words, { start: at, end: found.next }, small) }
  const whole = withTail(words, withPowers(words, { value: found.value, next: found.next }))
  const next = numbersEnd(words, { start: at, end: whole.next }, small)
  return next === whole.next && fits(whole.value) ? whole : { value: null, next }
}

/** True of `this one`, `in one go` and `in one stablecoin`, where `one` is not a count. */
function isPronoun(words: readonly Word[], at: number): boolean {
  const [before = '', name, then = ''] = [-1, 0, 1].map((step) => words[at + step]?.lower)
  if (name !== 'one') return false
  return determiners.has(before) || occasions.has(then) || (before === 'in' && things.has(then))
}

/** A number in digits, also in groups of thousands or with a fraction after it: `10 000`, `1 1/2`. */
function readDigits(words: readonly Word[], at: number, thousands: Thousands): NumberFound | null {
  const word = words[at]
  if (word?.kind !== 'number') return null
  if (!isWhole(words, at)) return { value: null, next: at + 1 }
  const grouped = readGroups(words, at)
  if (grouped !== null) return grouped
  const value = decimalOf(word.lower, thousands)
  const part = /^\d+$/.test(word.text) ? fractionOf(words[at + 1]?.text ?? '') : null
  if (value === null || part === null)
    return { value, next: fractionOf(word.text) === null ? at + 1 : skipOf(words, at + 1) }
  return { value: part.value === null ? null : sum(value, part.value), next: at + 2 }
}

/** Groups of thousands with spaces between: `1 000`, `10 000 000.5`. */
function readGroups(words: readonly Word[], at: number): Known | null {
  let next = at + 1
  while (/^\d{3}$/.test(words[next - 1]?.text ?? '') || next === at + 1) {
    const word = words[next]
    if (word === undefined || word.glued || !/^\d{3}([.,]\d+)?$/.test(word.text)) break
    next += 1
  }
  if (next === at + 1 || !/^[1-9]\d{0,2}$/.test(words[at]?.text ?? '')) return null
  const text = words
    .slice(at, next)
    .map((word) => word.text)
    .join('')
  const value = decimalOf(text.replace(',', '.'))
  return value === null ? null : { value, next }
}

/** `half`, `a quarter of a`, `three quarters`: of one, or of the number that follows. */
function readFraction(words: readonly Word[], at: number): Known | null {
  const from = articles.has(words[at]?.lower ?? '') ? at + 1 : at
  const name = words[from]?.lower
  if (name === 'half') return { value: half, next: skipOf(words, from + 1) }
  if (name === 'quarter') return { value: quarter, next: skipOf(words, from + 1) }
  if (name === 'three' && words[from + 1]?.lower === 'quarters')
    return { value: { units: 75n, scale: 2 }, next: skipOf(words, from + 2) }
  return null
}

/** The index after `of a`, `an` or `a`. */
function skipOf(words: readonly Word[], at: number): number {
  const next = words[at]?.lower === 'of' && articles.has(words[at + 1]?.lower ?? '') ? at + 1 : at
  return ['a', 'an'].includes(words[next]?.lower ?? '') ? next + 1 : next
}

/** `two hundred and fifty`, `twenty-five`, `a dozen`, `a couple of`, `three point one four`. */
function readCardinal(words: readonly Word[], at: number): Known | null {
  const named = readDozen(words, at)
  if (named !== null) return named
  let total = 0n
  let group: bigint | null = null
  let next = at
  for (let index = at; index < at + 16; index += 1) {
    const name = words[index]?.lower ?? ''
    const value = small.get(name)
    const power = letters.has(name) ? undefined : powers.get(name)
    if (value !== undefined) {
      const joins = group === null || group % 100n === 0n || (group % 10n === 0n && group % 100n >= 20n && value < 10n)
      if (!joins) break
      group = (group ?? 0n) + value
    } else if (power !== undefined && (group !== null || (index > at && articles.has(words[at]?.lower ?? '')))) {
      const scaled: bigint = (group ?? 1n) * 10n ** BigInt(power)
      if (power === 2) group = scaled
      else {
        total += scaled
        group = 0n
      }
    } else if (!isJoint(words, index, group) && !(index === at && articles.has(name))) break
    else continue
    next = index + 1
  }
  if (group === null) return null
  return withPoint(words, { value: { units: total + group, scale: 0 }, next })
}

/** `and` or `-` between two parts of one number. */
function isJoint(words: readonly Word[], index: number, group: bigint | null): boolean {
  const between = words[index]?.lower
  return group !== null && (between === 'and' || between === '-') && small.has(words[index + 1]?.lower ?? '')
}

function readDozen(words: readonly Word[], at: number): Known | null {
  const from = articles.has(words[at]?.lower ?? '') ? at + 1 : at
  const name = words[from]?.lower
  const of = words[from + 1]?.lower === 'of' ? from + 2 : from + 1
  if (name === 'dozen') return { value: { units: 12n, scale: 0 }, next: of }
  if (name === 'couple' || name === 'pair') return { value: { units: 2n, scale: 0 }, next: of }
  return null
}

/** `two point five` in words. */
function withPoint(words: readonly Word[], found: Known): Known {
  if (words[found.next]?.lower !== 'point') return found
  let digits = ''
  let next = found.next + 1
  for (; digits.length < mostDigits; next += 1) {
    const digit = small.get(words[next]?.lower ?? '')
    if (digit === undefined || digit > 9n) break
    digits += digit.toString()
  }
  if (digits === '') return found
  return { value: { units: BigInt(found.value.units.toString() + digits), scale: digits.length }, next }
}

/** `1.5k`, `2 million`, `2 hundred thousand`, `half a dozen`. */
function withPowers(words: readonly Word[], { value, next }: Known, most = 2): Known {
  const word = words[next]
  if (word === undefined || most === 0) return { value, next }
  if (word.lower === 'dozen') return { value: { ...value, units: value.units * 12n }, next: next + 1 }
  const power = powers.get(word.lower)
  if (power === undefined || (letters.has(word.lower) && !word.glued)) return { value, next }
  return withPowers(words, { value: shifted(value, power), next: next + 1 }, most - 1)
}

/** `two and a half`, `2 and three quarters`. */
function withTail(words: readonly Word[], found: Known): Known {
  if (words[found.next]?.lower !== 'and') return found
  const tail = readFraction(words, found.next + 1)
  return tail === null ? found : { value: sum(found.value, tail.value), next: tail.next }
}

/** The most numbers in a row that are skipped. */
const mostInRow = 64

/** Between two numbers they make a range, a choice or a sum. */
const connectors = new Set(['to', 'or', 'and', '-', '–', '—', '/', '+', '*', '^', '.', ','])
/** A number that touches one of these is a part of something longer. */
const sticking = new Set(['.', ',', '/', '_', '+', '-', '−', '–', '*', '^'])

const signs = new Set(['minus', 'negative'])

/** The beginning of an invalid exponent. */
const brokenExponent = /^[e_\d]+$/

/** True where the digits at a word are the whole expression; not in `-5`, `minus 5`, `e.5`, `5/e` and `1+2`. */
function isWhole(words: readonly Word[], at: number): boolean {
  const [before, word, behind] = [words[at - 1], words[at], words[at + 1]]
  if (signs.has(before?.lower ?? '')) return false
  if (word?.glued === true && before !== undefined && (before.kind !== 'mark' || sticking.has(before.lower)))
    return false
  if (behind?.glued === true && brokenExponent.test(behind.lower)) return false
  if (behind?.glued !== true || !sticking.has(behind.lower)) return true
  return isStop(words, at + 1) || (behind.lower === '-' && words[at + 2]?.lower === '>')
}

/** True of points and commas that end a part of a sentence. */
function isStop(words: readonly Word[], from: number): boolean {
  let at = from
  while (words[at]?.lower === '.' || words[at]?.lower === ',') at += 1
  return at > from && words[at]?.glued !== true
}

/**
 * The index after the numbers that follow a number directly or behind a word between them: in `1 to 2 weth` that of `weth`, in
 * `between 1 eth and 2 eth` that of the last `eth`. The first number is from `start`, up to but without `end`.
 */
function numbersEnd(
  words: readonly Word[],
  { start, end }: { start: number; end: number },
  named: ReadonlyMap<string, bigint>,
): number {
  const isNumber = (word: Word | undefined) => word?.kind === 'number' || named.has(word?.lower ?? '')
  const between = words[start - 1]?.lower === 'between' && words[end + 1]?.lower === 'and' && isNumber(words[end + 2])
  let at = between ? end + 3 : end
  for (let steps = 0; steps < mostInRow; steps += 1) {
    if (isNumber(words[at])) at += 1
    else if (connectors.has(words[at]?.lower ?? '') && isNumber(words[at + 1])) at += 2
    else break
  }
  return at
}

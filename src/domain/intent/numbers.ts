import { formatUnits } from '../trading/money.ts'
import type { Word } from './words.ts'

/** An exact number: `units` over ten to the power of `scale`. */
export type Decimal = { units: bigint; scale: number }

/** A number and the place of the first word behind it. */
export type NumberFound = { value: Decimal; next: number }

const ones = 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen'
const small = new Map<string, bigint>([
  ...`${ones} seventeen eighteen nineteen`.split(' ').map((name, value): [string, bigint] => [name, BigInt(value)]),
  ...'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((name, index): [string, bigint] => [name, BigInt(20 + 10 * index)]),
  ['fourty', 40n],
  ['single', 1n],
])

/** Places that a word behind a number moves the point by. */
const powers = new Map([
  ...['hundred'].map((name) => [name, 2] as const),
  ...['k', 'thousand', 'grand'].map((name) => [name, 3] as const),
  ...['m', 'mm', 'mil', 'mio', 'million'].map((name) => [name, 6] as const),
  ...['b', 'bn', 'billion'].map((name) => [name, 9] as const),
])
/** Letters that count as such a word only where they touch the number. */
const letters = new Set(['k', 'm', 'mm', 'b', 'bn'])

const articles = new Set(['a', 'an', 'the'])
const pointing = new Set('this that the new old which'.split(' '))
const occasions = new Set('go shot place time'.split(' '))
const things = new Set('coin token asset stable stablecoin chain'.split(' '))
const half: Decimal = { units: 5n, scale: 1 }
const quarter: Decimal = { units: 25n, scale: 2 }

/** Digits on either side of the point that a number may have; longer ones are no amounts. */
const mostDigits = 36

/** The number that begins at a word, in digits or in words: `1,000`, `1.5k`, `1e3`, `two and a half`, `half a million`. */
export function readNumber(words: readonly Word[], at: number): NumberFound | null {
  if (isPronoun(words, at)) return null
  const found = readDigits(words, at) ?? readFraction(words, at) ?? readCardinal(words, at)
  if (found === null) return null
  const whole = withTail(words, withPowers(words, found))
  return fits(whole.value) ? whole : null
}

/** `this one`, `in one go`, `in one stablecoin`: counts nothing. */
function isPronoun(words: readonly Word[], at: number): boolean {
  const [before = '', name, then = ''] = [-1, 0, 1].map((step) => words[at + step]?.lower)
  if (name !== 'one') return false
  return pointing.has(before) || occasions.has(then) || (before === 'in' && things.has(then))
}

/** A number as decimal text without zeros that say nothing. */
export function decimalText({ units, scale }: Decimal): string {
  return formatUnits(units, scale)
}

/** Moves the point to the right, or to the left where `places` is negative. */
export function shifted({ units, scale }: Decimal, places: number): Decimal {
  const moved = scale - places
  return moved >= 0 ? { units, scale: moved } : { units: units * 10n ** BigInt(-moved), scale: 0 }
}

function readDigits(words: readonly Word[], at: number): NumberFound | null {
  const word = words[at]
  if (word?.kind !== 'number' || word.text.length > 3 * mostDigits) return null
  const [digits = '', exponent = '0'] = word.lower.replaceAll(',', '').split('e')
  const [whole = '', fraction = ''] = digits.split('.')
  const value = shifted({ units: BigInt(whole + fraction), scale: fraction.length }, Number(exponent))
  const over = words[at + 2]
  if (words[at + 1]?.lower !== '/' || over?.kind !== 'number' || !over.glued) return { value, next: at + 1 }
  const ratio = quotient(value, over.text)
  return ratio === null ? { value, next: at + 1 } : { value: ratio, next: at + 3 }
}

/** A part that decimal text can hold: halves, quarters, fifths, eighths and tenths; null for any other. */
function quotient(value: Decimal, over: string): Decimal | null {
  const divisor = ['2', '4', '5', '8', '10'].includes(over) ? BigInt(over) : null
  return divisor === null || value.scale > 0 ? null : { units: (value.units * 1000n) / divisor, scale: 3 }
}

/** `half`, `a quarter of a`, `three quarters`: of one, or of what follows. */
function readFraction(words: readonly Word[], at: number): NumberFound | null {
  const from = articles.has(words[at]?.lower ?? '') ? at + 1 : at
  const name = words[from]?.lower
  if (name === 'half') return { value: half, next: skipOf(words, from + 1) }
  if (name === 'quarter') return { value: quarter, next: skipOf(words, from + 1) }
  if (name === 'three' && words[from + 1]?.lower === 'quarters')
    return { value: { units: 75n, scale: 2 }, next: skipOf(words, from + 2) }
  return null
}

/** Goes past `of a`, `an`, `a`. */
function skipOf(words: readonly Word[], at: number): number {
  const next = words[at]?.lower === 'of' && articles.has(words[at + 1]?.lower ?? '') ? at + 1 : at
  return ['a', 'an'].includes(words[next]?.lower ?? '') ? next + 1 : next
}

/** `two hundred and fifty`, `twenty-five`, `a dozen`, `a couple of`, `three point one four`. */
function readCardinal(words: readonly Word[], at: number): NumberFound | null {
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
  const joint = words[index]?.lower
  return group !== null && (joint === 'and' || joint === '-') && small.has(words[index + 1]?.lower ?? '')
}

function readDozen(words: readonly Word[], at: number): NumberFound | null {
  const from = articles.has(words[at]?.lower ?? '') ? at + 1 : at
  const name = words[from]?.lower
  const of = words[from + 1]?.lower === 'of' ? from + 2 : from + 1
  if (name === 'dozen') return { value: { units: 12n, scale: 0 }, next: of }
  if (name === 'couple' || name === 'pair') return { value: { units: 2n, scale: 0 }, next: of }
  return null
}

/** `two point five` in words. */
function withPoint(words: readonly Word[], found: NumberFound): NumberFound {
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
function withPowers(words: readonly Word[], { value, next }: NumberFound, most = 2): NumberFound {
  const word = words[next]
  if (word === undefined || most === 0) return { value, next }
  if (word.lower === 'dozen') return { value: { ...value, units: value.units * 12n }, next: next + 1 }
  const power = powers.get(word.lower)
  if (power === undefined || (letters.has(word.lower) && !word.glued)) return { value, next }
  return withPowers(words, { value: shifted(value, power), next: next + 1 }, most - 1)
}

/** `two and a half`, `2 and three quarters`. */
function withTail(words: readonly Word[], found: NumberFound): NumberFound {
  if (words[found.next]?.lower !== 'and') return found
  const tail = readFraction(words, found.next + 1)
  return tail === null ? found : { value: sum(found.value, tail.value), next: tail.next }
}

function sum(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale)
  const aligned = [left, right].map((part) => part.units * 10n ** BigInt(scale - part.scale))
  return { units: aligned.reduce((total, part) => total + part), scale }
}

function fits({ units, scale }: Decimal): boolean {
  const digits = units.toString().length
  return digits - scale <= mostDigits && scale <= mostDigits
}

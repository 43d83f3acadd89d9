import { type Decimal, decimalOf, shifted } from '../../values/decimals.ts'
import { readNumber } from './numbers.ts'
import type { Word } from './words.ts'

/** The slippage that a text allows, with the indexes of its words: from `at`, up to but without `next`. */
type Slippage = { bps: number; at: number; next: number }

/** A percentage in basis points, as the text writes it: `0.5%`, `50 bps`, `half a percent`, `1 percent`. */
export type Percentage = { bps: Decimal; at: number; next: number; unit: 'percent' | 'bps' }

const bpsUnits = new Set('bps bp bip bips'.split(' '))
const slippageWords = new Set('slippage slip slipage tolerance'.split(' '))
const reach = 6
/** The most occurrences of the word that are read. */
const mostPlaces = 8

/** The percentage that begins at a word, or null. */
export function readPercentage(words: readonly Word[], at: number): Percentage | null {
  const number = readNumber(words, at)
  const value = number?.value ?? belowZero(words, at)
  if (number === null || value === null) return null
  const unit = words[number.next]?.lower ?? ''
  const [then = '', last = ''] = [words[number.next + 1]?.lower, words[number.next + 2]?.lower]
  const percent = (next: number): Percentage => ({ bps: shifted(value, 2), at, next, unit: 'percent' })
  const points = (next: number): Percentage => ({ bps: value, at, next, unit: 'bps' })
  if (unit === '%' || unit === 'percent' || unit === 'pct') return percent(number.next + 1)
  if (unit === 'per' && then === 'cent') return percent(number.next + 2)
  if (['a', 'one', 'of'].includes(unit) && then === 'percent') return percent(number.next + 2)
  if (unit === 'of' && ['a', 'one'].includes(then) && last === 'percent') return percent(number.next + 3)
  if (bpsUnits.has(unit)) return points(number.next + 1)
  if (unit === 'basis' && then.startsWith('point')) return points(number.next + 2)
  return null
}

/** `-1`: below zero, a percentage that is refused, and no other kind of number. */
function belowZero(words: readonly Word[], at: number): Decimal | null {
  const minus = words[at - 1]?.lower === '-' || words[at - 1]?.lower === '−'
  const below = minus && words[at]?.glued === true ? decimalOf(words[at]?.lower ?? '') : null
  return below === null ? null : { ...below, units: -below.units }
}

/** The percentage that begins at a word. */
export function percentageAt(percentages: readonly Percentage[], at: number): Percentage | undefined {
  return percentages.find((found) => found.at === at)
}

/**
 * The slippage that a text allows: a percentage near the word, basis points anywhere, or a bare number right after the
 * word, which means percent. Fractions of a basis point are dropped, which is the stricter limit.
 */
export function readSlippage(words: readonly Word[], percentages: readonly Percentage[]): Slippage | null {
  const named = words.flatMap(({ lower }, place) => (slippageWords.has(lower) ? [place] : [])).slice(0, mostPlaces)
  const near = (found: Percentage) => named.some((place) => isBeside(words, place, found))
  const found = percentages.find(near) ?? percentages.find(({ unit, next }) => unit === 'bps' && !isImpact(words, next))
  if (found !== undefined) return { bps: wholeBps(found.bps), at: found.at, next: found.next }
  for (const place of named) {
    const number = readBare(words, place)
    if (number !== null) return number
  }
  return null
}

/** `slippage of at most 1%`, `1% max slippage`. */
function isBeside(words: readonly Word[], place: number, { at, next }: Percentage): boolean {
  if (isImpact(words, next)) return false
  const [from, to] = place < at ? [place + 1, at] : [next, place]
  return to - from <= reach && !words.slice(from, to).some(({ lower }) => [',', ';', '.', '?'].includes(lower))
}

function isImpact(words: readonly Word[], next: number): boolean {
  return words.slice(next, next + 3).some(({ lower }) => lower === 'impact')
}

function readBare(words: readonly Word[], place: number): Slippage | null {
  const at = [1, 2, 3].map((step) => place + step).find((index) => words[index]?.kind === 'number')
  if (
    at === undefined ||
    words.slice(place + 1, at).some(({ lower }) => !['of', ':', '=', 'at', 'to', 'is', 'max'].includes(lower))
  )
    return null
  const number = readNumber(words, at)
  return number === null || number.value === null
    ? null
    : { bps: wholeBps(shifted(number.value, 2)), at, next: number.next }
}

function wholeBps({ units, scale }: Decimal): number {
  const whole = units / 10n ** BigInt(scale)
  return whole > 10_000n ? 10_000 : Number(whole)
}

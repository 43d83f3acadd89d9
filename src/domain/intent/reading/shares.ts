import { fractionOf, greatestDivisor } from '../../values/decimals.ts'
import { type Percentage, percentageAt } from './slippage.ts'
import type { Word } from './words.ts'

/** A share of a balance, as a fraction in lowest terms such as `1/2`; `1/1` is all of it. */
type Share = { fraction: string; at: number; next: number }

const parts = new Map<string, readonly [number, number]>([
  ['half', [1, 2]],
  ['third', [1, 3]],
  ['quarter', [1, 4]],
  ['fourth', [1, 4]],
  ['fifth', [1, 5]],
  ['tenth', [1, 10]],
  ['thirds', [2, 3]],
  ['quarters', [3, 4]],
])
/** Parts that are always a share; a half and a quarter can also be an amount of a token. */
const alwaysShares = new Set(['third', 'thirds', 'fourth', 'fifth', 'tenth'])
const owned = new Set('my mine the it its them this that our what whatever everything all his their'.split(' '))
const turns = new Set('to into for in back now and at on from out please pls using with via over'.split(' '))
const wholes = new Set('everything entire whole entirety remaining remainder rest leftover'.split(' '))

/** The share that begins at a word: `all my`, `half of it`, `a third of the`, `2/3 of my`, `50% of my`, `everything`, `max`. */
export function readShare(
  words: readonly Word[],
  at: number,
  percentages: readonly Percentage[],
  isOwned = false,
): Share | null {
  return (
    readWhole(words, at) ?? readPart(words, at) ?? readDigits(words, at) ?? readPercent(words, at, percentages, isOwned)
  )
}

function readWhole(words: readonly Word[], at: number): Share | null {
  const [before = '', name = '', then = ''] = [-1, 0, 1].map((step) => words[at + step]?.lower)
  const ends = isEnd(words, at + 1)
  const whole = { fraction: '1/1', at, next: at + 1 }
  if (wholes.has(name)) return name === 'everything' && ['about', 'you', 'on'].includes(then) ? null : whole
  if (name === 'all')
    return owned.has(then) || then === 'of' || then === 'in' || turns.has(then) || ends || owned.has(before)
      ? whole
      : null
  if (name === 'max' || name === 'maximum')
    return ends || then === 'of' || then === 'amount' || owned.has(then) ? whole : null
  return name === 'lot' && before === 'the' && ends ? whole : null
}

function readPart(words: readonly Word[], at: number): Share | null {
  const from = ['a', 'the', 'two', 'three'].includes(words[at]?.lower ?? '') ? at + 1 : at
  const name = words[from]?.lower ?? ''
  const part = parts.get(name)
  if (part === undefined) return null
  const next = words[from + 1]?.lower === 'of' ? from + 2 : from + 1
  const then = words[next]?.lower ?? ''
  const ofWhole = next > from + 1 && then !== 'a' && then !== 'an'
  const bare = isEnd(words, from + 1) || turns.has(then)
  if (!alwaysShares.has(name) && !ofWhole && !bare && !owned.has(then)) return null
  return { fraction: part.join('/'), at, next }
}

/** `2/3 of my weth`; after a whole number it is part of that number: `1 2/3 weth`. */
function readDigits(words: readonly Word[], at: number): Share | null {
  const fraction = fractionOf(words[at]?.text ?? '')?.lowest
  if (fraction === undefined || words[at]?.glued === true || words[at - 1]?.kind === 'number') return null
  const [then = '', last = ''] = [words[at + 1]?.lower, words[at + 2]?.lower]
  if (then === 'of') return last === 'a' || last === 'an' ? null : { fraction, at, next: at + 2 }
  return owned.has(then) ? { fraction, at, next: at + 1 } : null
}

function readPercent(
  words: readonly Word[],
  at: number,
  percentages: readonly Percentage[],
  isOwned: boolean,
): Share | null {
  const found = percentageAt(percentages, at)
  if (found === undefined || found.unit !== 'percent') return null
  const then = words[found.next]?.lower ?? ''
  const said =
    isOwned ||
    then === 'of' ||
    owned.has(then) ||
    turns.has(then) ||
    isEnd(words, found.next) ||
    words[at - 1]?.lower === 'by'
  const whole = 10_000n * 10n ** BigInt(found.bps.scale)
  if (!said || found.bps.units > whole || found.bps.units <= 0n) return null
  const divisor = greatestDivisor(found.bps.units, whole)
  return {
    fraction: `${found.bps.units / divisor}/${whole / divisor}`,
    at,
    next: then === 'of' ? found.next + 1 : found.next,
  }
}

function isEnd(words: readonly Word[], at: number): boolean {
  return words[at] === undefined || ['.', ',', '!', '?', ';'].includes(words[at].lower)
}

import { decimalText, shifted } from '../values/decimals.ts'
import type { Mention } from './reading/mentions.ts'
import { dollarNames, dollarTokens } from './reading/names.ts'
import { type NumberFound, readNumber } from './reading/numbers.ts'
import { isDegree, readShare } from './reading/shares.ts'
import type { Percentage } from './reading/slippage.ts'
import type { Word } from './reading/words.ts'

/** The amount or share that a text names, the token that it counts, and the mention that only names its currency. */
export type Amount = {
  value: string | null
  share: string | null
  currency: 'token_units' | 'usd' | null
  of: Mention | null
  money: Mention | null
}

/** A text with what is read of it already. */
export type Reading = {
  words: readonly Word[]
  /** Mentions of tokens by the index of their first word. */
  tokens: ReadonlyMap<number, Mention>
  percentages: readonly Percentage[]
  /** Indexes of words that belong to something else. */
  taken: ReadonlySet<number>
}

/** Words that may stand between a number and the token that it counts. */
const fillers = new Set(
  'of the my our your more some units unit tokens token coins coin worth in extra additional full own other existing'.split(
    ' ',
  ),
)
/** A number after these is a price, a rank or a limit. */
const noAmountBehind = new Set(
  'top last past first chain id version at below above under over hits reaches than since v block number page least most # below within each every'.split(
    ' ',
  ),
)
/** Words that can follow an amount without a token. */
const mayFollow = new Set(
  'of for to into in from worth please pls with units on via now and more using at go if when then but instead tokens coins usd back out max right today'.split(
    ' ',
  ),
)
const subunits = new Map([
  ['wei', -18],
  ['gwei', -9],
])

/** The amount that a text names: with a token if there is one, else a share, else a number by itself. */
export function readAmount(reading: Reading): Amount | null {
  let share: Amount | null = null
  let bare: Amount | null = null
  for (let at = 0; at < reading.words.length; at += 1) {
    if (reading.taken.has(at) || isDegree(reading.words, at, reading.percentages)) continue
    const part = readShare(reading.words, at, reading.percentages)
    if (part !== null) {
      const found = { ...nothing, share: part.fraction, of: tokenBehind(reading, part.next) }
      if (found.of !== null) return found
      share ??= found
      at = part.next - 1
      continue
    }
    const counted = readCounted(reading, at)
    if (counted === null) continue
    if (counted.amount !== null && counted.amount.of !== null) return counted.amount
    bare ??= counted.amount
    at = counted.next - 1
  }
  return share ?? bare
}

const nothing: Amount = { value: null, share: null, currency: null, of: null, money: null }

/** The number at a word and what it counts; the amount is null where the number counts something else. */
function readCounted(reading: Reading, at: number): { amount: Amount | null; next: number } | null {
  const { words } = reading
  const number = readNumber(words, at) ?? readArticle(reading, at)
  if (number === null) return null
  const { next } = number
  if (number.value === null || words[next]?.lower === '%') return { amount: null, next }
  const money = moneyAround(reading, at, next)
  if (money !== null) {
    const behind = money.at < at ? next : money.next
    const of = tokenBehind(reading, behind, ['worth', 'of'])
    const value = decimalText(number.value)
    if (of !== null) return { amount: { ...nothing, value, currency: 'usd', of, money }, next: behind }
    return { amount: { ...nothing, value, currency: 'token_units', of: money }, next: behind }
  }
  const places = subunits.get(words[next]?.lower ?? '')
  const value = decimalText(shifted(number.value, places ?? 0))
  const of = tokenBehind(reading, next)
  if (of === null && !mayStandAlone(words, at, next)) return { amount: null, next }
  return { amount: { ...nothing, value, currency: 'token_units', of }, next }
}

/** `an eth`, `a weth`: an amount of one. */
function readArticle({ words, tokens }: Reading, at: number): NumberFound | null {
  if (!['a', 'an'].includes(words[at]?.lower ?? '')) return null
  const token = tokens.get(at + 1)
  const describes = words[token?.next ?? 0]
  if (token === undefined || (describes?.kind === 'word' && !mayFollow.has(describes.lower))) return null
  return { value: { units: 1n, scale: 0 }, next: at + 1 }
}

/** The mention of dollars around a number: `$500`, `500 dollars`, `500 usd`, `500 usdc worth`. */
function moneyAround({ words, tokens }: Reading, at: number, next: number): Mention | null {
  const sign = words[at - 1]?.lower === '$' ? tokens.get(at - 1) : undefined
  const unit = tokens.get(next)
  if (sign !== undefined || unit === undefined) return sign ?? null
  const worth = words[unit.next]?.lower === 'worth' && dollarTokens.includes(unit.name)
  return worth || dollarNames.has(words[next]?.lower ?? '') ? unit : null
}

/** The token after a number, over fillers between. With `leads`, the first filler must be one of them. */
function tokenBehind({ words, tokens }: Reading, from: number, leads?: readonly string[]): Mention | null {
  for (let at = from; at < from + 4; at += 1) {
    const token = tokens.get(at)
    if (token !== undefined) return token
    const word = words[at]?.lower ?? ''
    if (!fillers.has(word) || (at === from && leads !== undefined && !leads.includes(word))) return null
    if (word === 'in' && words[at - 1]?.kind === 'number') return null
  }
  return null
}

function mayStandAlone(words: readonly Word[], at: number, next: number): boolean {
  const behind = words[next]
  const [before, then] = [words[at - 1]?.lower ?? '', behind?.lower ?? '']
  return !noAmountBehind.has(before) && (behind === undefined || behind.kind !== 'word' || mayFollow.has(then))
}

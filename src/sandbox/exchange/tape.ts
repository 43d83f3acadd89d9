import { createHash } from 'node:crypto'
import { type MarketPrices, usdOf } from '../market/clock.ts'
import { nextOpen } from './intervals.ts'

export type ExchangeMarket = { symbol: string; base: string; quote: string; priceDigits: number }

export const exchangeMarkets: readonly ExchangeMarket[] = [
  { symbol: 'ETHUSDC', base: 'WETH', quote: 'USDC', priceDigits: 2 },
  { symbol: 'BTCUSDC', base: 'WBTC', quote: 'USDC', priceDigits: 2 },
  { symbol: 'ETHBTC', base: 'WETH', quote: 'WBTC', priceDigits: 6 },
]

/** A swap of the chain as a trade. `sold` means that the taker sold the base currency; `at` is in milliseconds. */
export type ChainTrade = { price: number; quantity: number; sold: boolean; at: number }
export type TapeTrade = ChainTrade & { id: number }
export type TapeCandle = { opened: number; closes: number; trades: number } & Record<
  'open' | 'high' | 'low' | 'close' | 'volume',
  number
>

/**
 * The trades of one market, one every half second: a swap of the chain where there is one, else a made-up trade of a
 * market maker near the market's price. A trade depends only on the chain, the market and its id, so that it stays the
 * same over restarts. Ids count from 1.
 */
export type Tape = {
  market: ExchangeMarket
  /** Adds swaps of the chain, in order of time. */
  add(trades: readonly ChainTrade[]): void
  /** The id of the newest trade at a time, 0 before the first. */
  newest(now: number): number
  trade(id: number): TapeTrade
  /** The price of the market at a time. */
  fair(at: number): number
  /** Null where the time has no trade yet. */
  candle(interval: string, opened: number, now: number): TapeCandle | null
}

export const slotMs = 500
/** A swap appears this long after its block, when the block has surely been read. */
const delayMs = 4_000
/** A candle with more trades than this is computed from its swaps and a sample of about this many other trades. */
const maxSamples = 600
const spreadBps = 4

/** Creates a tape that begins at `start`, in milliseconds. */
export function createTape(market: ExchangeMarket, start: number, prices: MarketPrices): Tape {
  const swaps = new Map<number, ChainTrade>()
  const ids: number[] = []
  const salt = createHash('sha256').update(market.symbol).digest().readUInt32LE(0)
  const idAt = (time: number) => Math.floor((time - start) / slotMs)

  function fair(at: number): number {
    return usdOf(prices, market.base, at / 1_000) / usdOf(prices, market.quote, at / 1_000)
  }

  function trade(id: number): TapeTrade {
    const at = start + id * slotMs
    const swap = swaps.get(id)
    if (swap !== undefined) return { ...swap, id, at }
    const [first, second, third] = [mix(salt ^ id), mix(salt + 3 * id + 1), mix(id * 7 - salt)]
    const sold = first < 0.5
    const away = (sold ? -1 : 1) * second * spreadBps
    return { id, at, sold, price: fair(at) * (1 + away / 10_000), quantity: 0.01 + third * third * 2 }
  }

  return {
    market,
    add(trades) {
      for (const swap of trades) {
        const id = Math.max(idAt(swap.at + delayMs), (ids.at(-1) ?? 0) + 1, 1)
        swaps.set(id, swap)
        ids.push(id)
      }
    },
    newest: (now) => Math.max(0, idAt(now)),
    trade,
    fair,
    candle(interval, opened, now) {
      const until = nextOpen(interval, opened)
      const [from, to] = [Math.max(1, Math.ceil((opened - start) / slotMs)), Math.min(idAt(now), idAt(until - 1))]
      if (to < from) return null
      const step = Math.max(1, Math.floor((until - opened) / slotMs / maxSamples))
      return { opened, closes: until - 1, trades: to - from + 1, ...drawn(from, to, step) }
    },
  }

  /** A candle from trades of the market maker, every `step`th of which is read, and from every swap. */
  function drawn(from: number, to: number, step: number) {
    const ownSwaps = ids.slice(after(ids, from - 1), after(ids, to))
    const read = new Set([from, to, ...ownSwaps])
    for (let id = from - (from % step) + step; id < to; id += step) read.add(id)
    const seen = [...read].sort((left, right) => left - right).map(trade)
    const traded = seen.map(({ price }) => price)
    const [open = 0, close = 0] = [traded[0], traded.at(-1)]
    const swapped = ownSwaps.reduce((sum, id) => sum + (swaps.get(id)?.quantity ?? 0), 0)
    const made = seen.reduce((sum, { quantity }) => sum + quantity, 0) - swapped
    const [madeTrades, madeRead] = [to - from + 1 - ownSwaps.length, seen.length - ownSwaps.length]
    const volume = swapped + (madeRead === 0 ? 0 : (made * madeTrades) / madeRead)
    return { open, close, high: Math.max(...traded), low: Math.min(...traded), volume }
  }
}

/** The index of the first of some ascending numbers that is greater than a limit. */
function after(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return low
}

/** A pseudo-random number from 0 to 1 for a seed. */
function mix(seed: number): number {
  let value = (seed + 0x6d2b79f5) | 0
  value = Math.imul(value ^ (value >>> 15), value | 1)
  value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
  return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
}

/** A price in the exchange's format. */
export function priceText({ market }: Tape, price: number): string {
  return price.toFixed(market.priceDigits)
}

/** A quantity in the exchange's format. */
export function quantityText(quantity: number): string {
  return quantity.toFixed(5)
}

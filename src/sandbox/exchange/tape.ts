import { createHash } from 'node:crypto'
import { nextOpen } from './intervals.ts'

/** A market of the exchange, and what it costs before anything was traded. */
export type ExchangeMarket = { symbol: string; base: string; quote: string; first: number; priceDigits: number }

export const exchangeMarkets: readonly ExchangeMarket[] = [
  { symbol: 'ETHUSDC', base: 'WETH', quote: 'USDC', first: 3_000, priceDigits: 2 },
  { symbol: 'BTCUSDC', base: 'WBTC', quote: 'USDC', first: 60_000, priceDigits: 2 },
  { symbol: 'ETHBTC', base: 'WETH', quote: 'WBTC', first: 0.05, priceDigits: 6 },
]

/** A swap of the chain as the exchange sees it; `sold` where the taker sold the base currency, `at` in milliseconds. */
export type ChainTrade = { price: number; quantity: number; sold: boolean; at: number }
export type TapeTrade = ChainTrade & { id: number }
export type TapeCandle = { opened: number; closes: number; trades: number } & Record<
  'open' | 'high' | 'low' | 'close' | 'volume',
  number
>

/**
 * The trades of one market. Every half second has one: a swap of the chain where one waits, else the market maker's,
 * which follows the last swap's price. Each follows from the chain and the seed alone, so that a trade keeps its id over
 * restarts; ids count from 1.
 */
export type Tape = {
  place: ExchangeMarket
  /** Takes in swaps of the chain, in order of time. */
  add(trades: readonly ChainTrade[]): void
  /** Id of the newest trade at a moment, 0 before the first. */
  newest(now: number): number
  trade(id: number): TapeTrade
  /** Null where nothing was traded in that time yet. */
  candle(interval: string, opened: number, now: number): TapeCandle | null
}

export const slotMs = 500
/** A swap is told so much later than its block, when the block is surely known. */
const delayMs = 4_000
/** A candle longer than this many trades is drawn from as many of them. */
const mostLooks = 2_000
const spreadBps = 4

/** Makes a tape that begins at a moment. */
export function createTape(place: ExchangeMarket, start: number): Tape {
  const placed = new Map<number, ChainTrade>()
  const ids: number[] = []
  const salt = createHash('sha256').update(place.symbol).digest().readUInt32LE(0)
  const idAt = (moment: number) => Math.floor((moment - start) / slotMs)

  /** The price of the last swap before a trade. */
  function anchorOf(id: number): number {
    let [low, high] = [0, ids.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ids[middle] ?? 0) <= id) low = middle + 1
      else high = middle
    }
    return placed.get(ids[low - 1] ?? 0)?.price ?? place.first
  }

  function trade(id: number): TapeTrade {
    const at = start + id * slotMs
    const swap = placed.get(id)
    if (swap !== undefined) return { ...swap, id, at }
    const [first, second, third] = [mix(salt ^ id), mix(salt + 3 * id + 1), mix(id * 7 - salt)]
    const sold = first < 0.5
    const away = (sold ? -1 : 1) * second * spreadBps
    return { id, at, sold, price: anchorOf(id) * (1 + away / 10_000), quantity: 0.01 + third * third * 2 }
  }

  return {
    place,
    add(trades) {
      for (const swap of trades) {
        const id = Math.max(idAt(swap.at + delayMs), (ids.at(-1) ?? 0) + 1, 1)
        placed.set(id, swap)
        ids.push(id)
      }
    },
    newest: (now) => Math.max(0, idAt(now)),
    trade,
    candle(interval, opened, now) {
      const until = nextOpen(interval, opened)
      const [from, to] = [Math.max(1, Math.ceil((opened - start) / slotMs)), Math.min(idAt(now), idAt(until - 1))]
      if (to < from) return null
      const step = Math.max(1, Math.floor((until - opened) / slotMs / mostLooks))
      const seen = [trade(from)]
      for (let id = from - (from % step) + step; id <= to; id += step) seen.push(trade(id))
      if ((seen.at(-1)?.id ?? 0) < to) seen.push(trade(to))
      const prices = seen.map(({ price }) => price)
      const volume = seen.reduce((sum, { quantity }) => sum + quantity, 0) * ((to - from + 1) / seen.length)
      const [open = 0, close = 0] = [prices[0], prices.at(-1)]
      const ends = { high: Math.max(...prices), low: Math.min(...prices) }
      return { opened, closes: until - 1, trades: to - from + 1, open, close, ...ends, volume }
    },
  }
}

/** A number from 0 to 1 that looks random and follows from another. */
function mix(seed: number): number {
  let value = (seed + 0x6d2b79f5) | 0
  value = Math.imul(value ^ (value >>> 15), value | 1)
  value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
  return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
}

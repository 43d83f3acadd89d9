import { createHash } from 'node:crypto'
import { nextOpen } from './intervals.ts'

/** A market of the exchange. `first` is the price before the first swap. */
export type ExchangeMarket = { symbol: string; base: string; quote: string; first: number; priceDigits: number }

export const exchangeMarkets: readonly ExchangeMarket[] = [
  { symbol: 'ETHUSDC', base: 'WETH', quote: 'USDC', first: 3_000, priceDigits: 2 },
  { symbol: 'BTCUSDC', base: 'WBTC', quote: 'USDC', first: 60_000, priceDigits: 2 },
  { symbol: 'ETHBTC', base: 'WETH', quote: 'WBTC', first: 0.05, priceDigits: 6 },
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
 * market maker near the price of the last swap. A trade depends only on the chain and its id, so that it stays the same
 * over restarts. Ids count from 1.
 */
export type Tape = {
  market: ExchangeMarket
  /** Adds swaps of the chain, in order of time. */
  add(trades: readonly ChainTrade[]): void
  /** The id of the newest trade at a time, 0 before the first. */
  newest(now: number): number
  trade(id: number): TapeTrade
  /** Null where the time has no trade yet. */
  candle(interval: string, opened: number, now: number): TapeCandle | null
}

export const slotMs = 500
/** A swap appears this long after its block, when the block has surely been read. */
const delayMs = 4_000
/** A candle with more trades than this is computed from a sample of about this many. */
const maxSamples = 2_000
const spreadBps = 4

/** Creates a tape that begins at `start`, in milliseconds. */
export function createTape(market: ExchangeMarket, start: number): Tape {
  const swaps = new Map<number, ChainTrade>()
  const ids: number[] = []
  const salt = createHash('sha256').update(market.symbol).digest().readUInt32LE(0)
  const idAt = (time: number) => Math.floor((time - start) / slotMs)

  /** The price of the last swap before a trade. */
  function anchorOf(id: number): number {
    let [low, high] = [0, ids.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ids[middle] ?? 0) <= id) low = middle + 1
      else high = middle
    }
    return swaps.get(ids[low - 1] ?? 0)?.price ?? market.first
  }

  function trade(id: number): TapeTrade {
    const at = start + id * slotMs
    const swap = swaps.get(id)
    if (swap !== undefined) return { ...swap, id, at }
    const [first, second, third] = [mix(salt ^ id), mix(salt + 3 * id + 1), mix(id * 7 - salt)]
    const sold = first < 0.5
    const away = (sold ? -1 : 1) * second * spreadBps
    return { id, at, sold, price: anchorOf(id) * (1 + away / 10_000), quantity: 0.01 + third * third * 2 }
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
    candle(interval, opened, now) {
      const until = nextOpen(interval, opened)
      const [from, to] = [Math.max(1, Math.ceil((opened - start) / slotMs)), Math.min(idAt(now), idAt(until - 1))]
      if (to < from) return null
      const step = Math.max(1, Math.floor((until - opened) / slotMs / maxSamples))
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

import { setImmediate as nextTurn } from 'node:timers/promises'
import { bestPrices, bookOf, tickerOf } from '../exchange/book.ts'
import { isInterval, nextOpen, openOf } from '../exchange/intervals.ts'
import { createStreams } from '../exchange/streams.ts'
import {
  type ChainTrade,
  createTape,
  type ExchangeMarket,
  exchangeMarkets,
  priceText,
  slotMs,
  type Tape,
} from '../exchange/tape.ts'
import { wireCandle, wireTrade } from '../exchange/wire.ts'
import { type MarketPrices, stillPrices } from '../market/clock.ts'
import type { Service, ServiceReply } from '../provider-server/server.ts'
import type { IndexedSwap } from './chain-data.ts'

type ExchangeOptions = {
  /** When trading begins, in milliseconds since 1970. */
  start: number
  /** Those of a market that stands still by default. */
  prices?: MarketPrices
  /** All known swaps of users, in order of time. */
  swaps(): Promise<readonly IndexedSwap[]>
  now(): number
  /** The lifetime of a stream connection. */
  connectionMs?: number
}

/** The exchange, running. */
type ExchangeService = Service & { socket: NonNullable<Service['socket']>; close(): void }

/** An exchange in the format of Binance. Its trades are the chain's swaps and those of a market maker. */
export function exchangeService({
  start,
  prices = stillPrices(start / 1_000),
  swaps,
  now,
  connectionMs = dayMs,
}: ExchangeOptions): ExchangeService {
  const tapes = new Map(exchangeMarkets.map((market) => [market.symbol, createTape(market, start, prices)]))
  let lastBlock = -1

  async function refresh(): Promise<void> {
    const fresh = (await swaps()).filter(({ block }) => block > lastBlock)
    lastBlock = fresh.at(-1)?.block ?? lastBlock
    for (const tape of tapes.values()) tape.add(fresh.flatMap((swap) => tradeOf(tape.market, swap) ?? []))
  }
  const streams = createStreams({ tapes, now, refresh, connectionMs })
  return {
    prefix: '/exchange',
    async respond({ method, path, query }) {
      if (method !== 'GET') return null
      await refresh()
      return await reply(tapes, now(), path, query)
    },
    socket: { upgrade: streams.accept, disconnectAll: streams.disconnectAll },
    close: streams.close,
  }
}

/** A swap as a trade of a market; null where it belongs to another market. */
function tradeOf(
  { base, quote }: ExchangeMarket,
  { pool, amount0, amount1, timestamp }: IndexedSwap,
): ChainTrade | null {
  const [first, second] = [pool.token0.symbol, pool.token1.symbol]
  const baseFirst = first === base && second === quote
  if (!baseFirst && !(first === quote && second === base)) return null
  const [got, paid] = baseFirst ? [amount0, amount1] : [amount1, amount0]
  const [quantity, price] = [Math.abs(got), Math.abs(paid / got)]
  // The price of a tiny amount is meaningless.
  if (quantity < 0.000_01 || !Number.isFinite(price) || price === 0) return null
  return { quantity, price, sold: got > 0, at: timestamp * 1_000 }
}

const dayMs = 86_400_000
/** Candles that are computed before the event loop gets a turn. */
const rowsPerTurn = 25
const unknownSymbol = { status: 400, json: { code: -1121, msg: 'Invalid symbol.' } }
const unknownInterval = { status: 400, json: { code: -1120, msg: 'Invalid interval.' } }

async function reply(
  tapes: ReadonlyMap<string, Tape>,
  now: number,
  path: string,
  query: URLSearchParams,
): Promise<ServiceReply | null> {
  if (path === '/api/v3/time') return { json: { serverTime: now } }
  if (path === '/api/v3/exchangeInfo') return { json: { symbols: exchangeMarkets.map(info) } }
  const method = methods[path]
  if (method === undefined) return null
  const several = query.get('symbols')
  const symbols = several === null ? [query.get('symbol') ?? ''] : namesIn(several)
  const known = symbols.flatMap((symbol) => tapes.get(symbol) ?? [])
  if (known.length < symbols.length) return unknownSymbol
  const answers = await Promise.all(known.map((tape) => method(tape, query, now)))
  if (answers.includes(null)) return unknownInterval
  return { json: several === null ? answers[0] : answers }
}

/** The symbols in a JSON list. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/"([A-Z0-9]{2,20})"/g)].flatMap(([, name]) => name ?? [])
}

/** The JSON for one market; null where the interval is unknown. */
type Method = (tape: Tape, query: URLSearchParams, now: number) => unknown

const methods: Readonly<Record<string, Method>> = {
  '/api/v3/aggTrades': trades,
  '/api/v3/klines': candles,
  '/api/v3/depth': depth,
  '/api/v3/ticker/24hr': (tape, _query, now) => tickerOf(tape, now) ?? {},
  '/api/v3/ticker/price': (tape, _query, now) => ({
    symbol: tape.market.symbol,
    price: priceText(tape, tape.trade(Math.max(1, tape.newest(now))).price),
  }),
  '/api/v3/avgPrice': (tape, _query, now) => {
    const candle = tape.candle('5m', now - 300_000, now)
    const price = candle === null ? tape.fair(now) : (candle.open + candle.high + candle.low + candle.close) / 4
    return { mins: 5, price: priceText(tape, price) }
  },
  '/api/v3/ticker/bookTicker': (tape, _query, now) => ({ symbol: tape.market.symbol, ...bestPrices(tape, now) }),
}

function trades(tape: Tape, query: URLSearchParams, now: number) {
  const newest = tape.newest(now)
  const limit = limitOf(query, 1_000)
  const from = query.has('fromId') ? Math.max(1, Number(query.get('fromId'))) : Math.max(1, newest - limit + 1)
  const ids = Array.from({ length: Math.max(0, Math.min(limit, newest - from + 1)) }, (_, index) => from + index)
  return ids.map((id) => wireTrade(tape, tape.trade(id)))
}

async function candles(tape: Tape, query: URLSearchParams, now: number): Promise<unknown[] | null> {
  const interval = query.get('interval') ?? ''
  if (!isInterval(interval)) return null
  const limit = limitOf(query, 1_000)
  const newest = openOf(interval, now)
  let from = newest
  if (query.has('startTime')) {
    const start = Math.max(Number(query.get('startTime')) || 0, tape.trade(1).at - slotMs)
    from = openOf(interval, start) < start ? nextOpen(interval, openOf(interval, start)) : start
  } else for (let back = 1; back < limit; back += 1) from = openOf(interval, from - 1)
  const rows: unknown[] = []
  for (let opened = from; opened <= newest && rows.length < limit; opened = nextOpen(interval, opened)) {
    const candle = tape.candle(interval, opened, now)
    if (candle !== null) rows.push(wireCandle(tape, candle))
    // Long candles are computed from many trades.
    if (rows.length % rowsPerTurn === 0) await nextTurn()
  }
  return rows
}

function depth(tape: Tape, query: URLSearchParams, now: number) {
  const [bids, asks] = bookOf(tape, now, limitOf(query, 100))
  return { lastUpdateId: tape.newest(now), bids, asks }
}

function info({ symbol, base, quote }: ExchangeMarket) {
  const plain = (token: string) => token.replace(/^W/, '')
  return { symbol, status: 'TRADING', baseAsset: plain(base), quoteAsset: plain(quote) }
}

function limitOf(query: URLSearchParams, most: number): number {
  return Math.max(1, Math.min(most, Math.floor(Number(query.get('limit') ?? most)) || 1))
}

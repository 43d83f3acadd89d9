import type { MarketData } from '../../domain/ports/market-data.ts'
import type { Sourced } from '../../domain/ports/sourced.ts'
import type { Answer, Asked, HttpProvider } from '../providers/http.ts'
import {
  averagePrice,
  bookTicker,
  closedBefore,
  depth,
  exchangeInfo,
  infoAsked,
  prices,
  restCandles,
  restTickers,
  restTrades,
  serverTime,
} from './wire.ts'

/** The exchange allows few questions, and callers ask much the same: an answer serves for so long. */
const [quickMs, averageMs] = [1_000, 5_000]

/** The exchange by REST, in the format of Binance; `source` names it in answers. */
export function createMarketData(rest: HttpProvider, source: string): MarketData {
  async function ask<T, R>(asked: Asked<T>, read: (value: T) => R): Promise<Sourced<R>> {
    const { value, ageMs, latencyMs }: Answer<T> = await rest.ask(asked)
    return { value: read(value), source, ageMs, latencyMs }
  }
  const same = <T>(value: T) => value
  const quick = { cacheMs: quickMs }
  return {
    markets: (signal) => ask({ ...infoAsked, schema: exchangeInfo, signal }, same),
    prices: (symbols, signal) =>
      ask({ path: '/api/v3/ticker/price', query: listed(symbols), schema: prices, ...quick, signal }, same),
    averagePrice: (symbol, signal) =>
      ask({ path: '/api/v3/avgPrice', query: { symbol }, schema: averagePrice, cacheMs: averageMs, signal }, same),
    tickers: (symbols, signal) =>
      ask({ path: '/api/v3/ticker/24hr', query: listed(symbols), schema: restTickers, ...quick, signal }, same),
    bestOffers: (symbol, signal) =>
      ask({ path: '/api/v3/ticker/bookTicker', query: { symbol }, schema: bookTicker, ...quick, signal }, same),
    depth: (symbol, limit, signal) =>
      ask({ path: '/api/v3/depth', query: { symbol, limit }, schema: depth, ...quick, signal }, same),
    trades(symbol, from, limit, signal) {
      const query = { symbol, limit, ...(from === null ? {} : { fromId: from }) }
      return ask({ path: '/api/v3/aggTrades', query, schema: restTrades, ...quick, signal }, same)
    },
    candles({ symbol, interval }, from, limit, signal) {
      const query = { symbol, interval, limit, ...(from === null ? {} : { startTime: from.getTime() }) }
      const asked = { path: '/api/v3/klines', query, schema: restCandles, ...quick, signal }
      return ask(asked, (rows) => closedBefore(rows, interval, Date.now()))
    },
    time: (signal) => ask({ path: '/api/v3/time', schema: serverTime, signal }, same),
  }
}

/** Several symbols, as the exchange takes them. */
function listed(symbols: readonly string[]) {
  return { symbols: JSON.stringify([...new Set(symbols)].sort()) }
}

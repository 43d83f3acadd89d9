import type { MarketData } from '../../domain/ports/market.ts'
import type { Sourced } from '../../domain/ports/providers.ts'
import type { HttpProvider, ProviderRequest, ProviderResponse } from '../providers/http.ts'
import {
  averagePrice,
  bookTicker,
  closedBefore,
  depth,
  exchangeInfo,
  infoRequest,
  prices,
  restCandles,
  restTickers,
  restTrades,
  serverTime,
} from './wire.ts'

/** How long responses are cached: the exchange allows few requests, and those of callers are much the same. */
const [quickMs, averageMs] = [1_000, 5_000]

/** The exchange by REST, in the format of Binance; `source` names it in results. */
export function createMarketData(rest: HttpProvider, source: string): MarketData {
  async function read<T, R>(request: ProviderRequest<T>, convert: (value: T) => R): Promise<Sourced<R>> {
    const { value, ageMs, latencyMs }: ProviderResponse<T> = await rest.request(request)
    return { value: convert(value), source, ageMs, latencyMs }
  }
  const same = <T>(value: T) => value
  const quick = { cacheMs: quickMs }
  return {
    markets: (signal) => read({ ...infoRequest, schema: exchangeInfo, signal }, same),
    prices: (symbols, signal) =>
      read({ path: '/api/v3/ticker/price', query: listed(symbols), schema: prices, ...quick, signal }, same),
    averagePrice: (symbol, signal) =>
      read({ path: '/api/v3/avgPrice', query: { symbol }, schema: averagePrice, cacheMs: averageMs, signal }, same),
    tickers: (symbols, signal) =>
      read({ path: '/api/v3/ticker/24hr', query: listed(symbols), schema: restTickers, ...quick, signal }, same),
    bestOffers: (symbol, signal) =>
      read({ path: '/api/v3/ticker/bookTicker', query: { symbol }, schema: bookTicker, ...quick, signal }, same),
    depth: (symbol, limit, signal) =>
      read({ path: '/api/v3/depth', query: { symbol, limit }, schema: depth, ...quick, signal }, same),
    trades(symbol, from, limit, signal) {
      const query = { symbol, limit, ...(from === null ? {} : { fromId: from }) }
      return read({ path: '/api/v3/aggTrades', query, schema: restTrades, ...quick, signal }, same)
    },
    candles({ symbol, interval }, from, limit, signal) {
      const query = { symbol, interval, limit, ...(from === null ? {} : { startTime: from.getTime() }) }
      const request = { path: '/api/v3/klines', query, schema: restCandles, ...quick, signal }
      return read(request, (rows) => closedBefore(rows, interval, Date.now()))
    },
    time: (signal) => read({ path: '/api/v3/time', schema: serverTime, signal }, same),
  }
}

/** Several symbols, as the exchange expects them. */
function listed(symbols: readonly string[]) {
  return { symbols: JSON.stringify([...new Set(symbols)].sort()) }
}

import type { MarketCandle, MarketDepth, MarketOffer, MarketTicker, MarketTrade } from './market.ts'
import type { Sourced } from './sourced.ts'

/** A market by its symbol, with its two currencies where the exchange names them. */
export type MarketInfo = { symbol: string; base: string | null; quote: string | null }

/** Single requests to the exchange. INVALID_ARGUMENT where it refuses a request; callers check first that a market exists. */
export interface MarketData {
  /** Markets that trade, at most a minute old. */
  markets(signal: AbortSignal): Promise<Sourced<readonly MarketInfo[]>>
  prices(
    symbols: readonly string[],
    signal: AbortSignal,
  ): Promise<Sourced<readonly { symbol: string; price: string }[]>>
  averagePrice(symbol: string, signal: AbortSignal): Promise<Sourced<{ price: string; minutes: number }>>
  tickers(
    symbols: readonly string[],
    signal: AbortSignal,
  ): Promise<Sourced<readonly (MarketTicker & { symbol: string })[]>>
  bestOffers(symbol: string, signal: AbortSignal): Promise<Sourced<{ bid: MarketOffer; ask: MarketOffer }>>
  depth(symbol: string, limit: number, signal: AbortSignal): Promise<Sourced<MarketDepth>>
  /** The newest ones where `from` is null, else from that id on. */
  trades(
    symbol: string,
    from: number | null,
    limit: number,
    signal: AbortSignal,
  ): Promise<Sourced<readonly MarketTrade[]>>
  /** The newest ones where `from` is null, else opened then or later. */
  candles(
    market: { symbol: string; interval: string },
    from: Date | null,
    limit: number,
    signal: AbortSignal,
  ): Promise<Sourced<readonly MarketCandle[]>>
  time(signal: AbortSignal): Promise<Sourced<Date>>
}

import type { Sourced } from './providers.ts'

/** A trade of the exchange. The ids of a symbol rise by one. Amounts are decimal text. */
export type MarketTrade = { id: number; price: string; quantity: string; buyerIsMaker: boolean; at: Date }

/** A candle of the exchange; it can change until it is closed. */
export type MarketCandle = {
  interval: string
  openedAt: Date
  closesAt: Date
  open: string
  high: string
  low: string
  close: string
  volume: string
  closed: boolean
}

/** A price and the quantity offered at it, as decimal text. */
type MarketOffer = { price: string; quantity: string }

/** The best offers, nearest first. Each message is complete, so a missed one does not matter. */
export type MarketDepth = { updateId: number; bids: readonly MarketOffer[]; asks: readonly MarketOffer[] }

/** The last 24 hours of a market; amounts are decimal text. */
export type MarketTicker = {
  lastPrice: string
  openPrice: string
  highPrice: string
  lowPrice: string
  averagePrice: string
  change: string
  changePercent: string
  volume: string
  quoteVolume: string
  bid: MarketOffer
  ask: MarketOffer
  trades: number
  openedAt: Date
  at: Date
}

export type MarketStream = 'trade' | 'kline' | 'depth' | 'ticker'

/**
 * An event of a market from the exchange. After `joined` a stream is received, but events before it may be missing;
 * after `lost` it is not received until it is joined again.
 */
export type ExchangeEvent =
  | { kind: 'joined' | 'lost'; stream: MarketStream }
  | { kind: 'trade'; trade: MarketTrade }
  | { kind: 'candle'; candle: MarketCandle; at: Date }
  | { kind: 'depth'; depth: MarketDepth; at: Date }
  | { kind: 'ticker'; ticker: MarketTicker }

/** The exchange's market data. UNAVAILABLE and DEADLINE_EXCEEDED where it fails. */
export interface Exchange {
  /** The name of the exchange in results. */
  readonly source: string
  /** The symbols of all markets, in upper case. */
  symbols(signal: AbortSignal): Promise<readonly string[]>
  /** Events from now on until the signal aborts, over interruptions. UNAVAILABLE where the reader is too slow. */
  follow(market: Market, signal: AbortSignal): AsyncGenerator<ExchangeEvent, void, undefined>
  /** Id of the newest trade, at most a second old; null before the first. */
  newestTrade(symbol: string, signal: AbortSignal): Promise<number | null>
  /** Trades from an id on, at most `tradesAtOnce`, in the order of their ids. */
  tradesFrom(symbol: string, id: number, signal: AbortSignal): Promise<readonly MarketTrade[]>
  /** Candles opened at a time or later, at most `candlesAtOnce`; the last one may still be open. */
  candlesFrom(market: Market, openedAt: Date, signal: AbortSignal): Promise<readonly MarketCandle[]>
}

export const tradesAtOnce = 1_000
export const candlesAtOnce = 1_000

/** A market to follow; `interval` is the length of its candles. */
export type Market = { symbol: string; streams: readonly MarketStream[]; interval: string }

export type MarketSubscription = Market & { id: string; userId: number; createdAt: Date }

/** Subscriptions of accounts, until they are removed. */
export interface MarketSubscriptions {
  /** False where the account has `limit` of them already. */
  create(subscription: MarketSubscription, limit: number): Promise<boolean>
  find(userId: number, id: string): Promise<MarketSubscription | null>
  remove(userId: number, id: string): Promise<boolean>
  /** Calls the listener when it is removed, by any process; returns the function that stops listening. */
  onRemoved(id: string, listener: () => void): () => void
}

/** A market by its symbol, with its two currencies where the exchange names them. */
export type MarketInfo = { symbol: string; base: string | null; quote: string | null }

/**
 * Single requests to the exchange. INVALID_ARGUMENT where it refuses a request; callers check first that a market
 * exists.
 */
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

/** An asset with a price of its own in the market of the embedded chain. */
export type SandboxAsset = 'ETH' | 'BTC'

/** How that market runs from a moment on, and its prices then in US dollars. */
export type SandboxMarketState = {
  mode: 'moving' | 'still'
  /** How many times faster than a real market. */
  speed: number
  usd: Readonly<Record<SandboxAsset, number>>
  from: Date
}

/** The hands on the market of the embedded chain. */
export type SandboxMarket = {
  /** The lowest and the highest price that can be set. */
  range(asset: SandboxAsset): readonly [number, number]
  setPrice(asset: SandboxAsset, usd: number): Promise<SandboxMarketState>
  setRunning(change: Partial<Pick<SandboxMarketState, 'mode' | 'speed'>>): Promise<SandboxMarketState>
}

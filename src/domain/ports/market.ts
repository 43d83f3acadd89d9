/** A trade of the exchange; ids of a symbol count up by one. Amounts are decimal text. */
export type MarketTrade = { id: number; price: string; quantity: string; buyerIsMaker: boolean; at: Date }

/** A candle of the exchange; it may change until it is closed. */
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

/** A price and how much is offered at it, as decimal text. */
export type MarketOffer = { price: string; quantity: string }

/** The best offers at a moment, nearest first; each is whole, so that a missed one is of no matter. */
export type MarketDepth = { updateId: number; bids: readonly MarketOffer[]; asks: readonly MarketOffer[] }

/** What became of a market in the last 24 hours; amounts are decimal text. */
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
 * What the exchange tells of a market. `joined` says that from here on it is heard, and before it something may be
 * missing; `lost` that it is not heard until it is joined again.
 */
export type MarketNews =
  | { kind: 'joined' | 'lost'; stream: MarketStream }
  | { kind: 'trade'; trade: MarketTrade }
  | { kind: 'candle'; candle: MarketCandle; at: Date }
  | { kind: 'depth'; depth: MarketDepth; at: Date }
  | { kind: 'ticker'; ticker: MarketTicker }

/** The exchange's market data. UNAVAILABLE and DEADLINE_EXCEEDED where it does not answer as it should. */
export interface Exchange {
  /** Names it in answers. */
  readonly source: string
  /** Symbols of the markets there are, in upper case. */
  symbols(signal: AbortSignal): Promise<readonly string[]>
  /** News from now on until the signal aborts, over interruptions; UNAVAILABLE at a reader that is too far behind. */
  follow(market: Market, signal: AbortSignal): AsyncGenerator<MarketNews, void, undefined>
  /** Id of the newest trade, at most a second old; null before the first. */
  newestTrade(symbol: string, signal: AbortSignal): Promise<number | null>
  /** Trades from an id on, at most `tradesAtOnce`, in the order of their ids. */
  tradesFrom(symbol: string, id: number, signal: AbortSignal): Promise<readonly MarketTrade[]>
  /** Candles opened at a moment or later, at most `candlesAtOnce`, the last of which may not be closed yet. */
  candlesFrom(market: Market, openedAt: Date, signal: AbortSignal): Promise<readonly MarketCandle[]>
}

export const tradesAtOnce = 1_000
export const candlesAtOnce = 1_000

/** What is followed: `interval` is the length of its candles. */
export type Market = { symbol: string; streams: readonly MarketStream[]; interval: string }

export type MarketSubscription = Market & { id: string; userId: number; createdAt: Date }

/** Subscriptions of accounts, until they are ended. */
export interface MarketSubscriptions {
  /** False where the account has `limit` of them already. */
  create(subscription: MarketSubscription, limit: number): Promise<boolean>
  find(userId: number, id: string): Promise<MarketSubscription | null>
  remove(userId: number, id: string): Promise<boolean>
  /** Fires when it is ended, by this process or another; answers the function that stops listening. */
  onRemoved(id: string, listener: () => void): () => void
}

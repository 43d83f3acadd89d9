import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { MarketDepth, MarketTicker } from '../ports/market.ts'

type Event = OutputOf<typeof contract.tools.streamExchange>

/** The order book of a market as callers receive it. */
export function presentDepth({ updateId, bids, asks }: MarketDepth): NonNullable<Event['depth']> {
  return { update_id: updateId, bids: [...bids], asks: [...asks] }
}

/** The last 24 hours of a market as callers receive them. */
export function presentTicker(ticker: MarketTicker): NonNullable<Event['ticker']> {
  const { lastPrice, openPrice, highPrice, lowPrice, averagePrice, change, changePercent } = ticker
  const { volume, quoteVolume, bid, ask, trades, openedAt } = ticker
  return {
    last_price: lastPrice,
    open_price: openPrice,
    high_price: highPrice,
    low_price: lowPrice,
    average_price: averagePrice,
    price_change: change,
    price_change_percent: changePercent,
    volume,
    quote_volume: quoteVolume,
    bid,
    ask,
    trades,
    opened_at: openedAt.toISOString(),
  }
}

import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { marketPosition } from '../../contract/tools/exchange.ts'
import { candleSeconds } from '../../contract/tools/exchange-tool-table.ts'
import { DomainError, type Fail } from '../core/errors.ts'
import type { Ports } from '../ports/index.ts'
import type { Market, MarketDepth, MarketTicker } from '../ports/market.ts'

/**
 * The position of a reader in a market: how many events it received, the id of the last trade, and the opening time of
 * the last closed candle in milliseconds; null before the first one. It is part of each event's id, so that nothing else
 * has to store it.
 */
export type MarketPosition = { sequence: number; trade: number | null; candle: number | null }

export const marketStart: MarketPosition = { sequence: 0, trade: null, candle: null }

/** The id of the event that leads to a position. */
export function marketEventId(subscriptionId: string, { sequence, trade, candle }: MarketPosition): string {
  return [subscriptionId, sequence, trade ?? '-', candle ?? '-'].join(':')
}

/** The position after an event; null where the id is not one of the subscription's. */
export function parseMarketCursor(subscriptionId: string, eventId: string): MarketPosition | null {
  const match = marketPosition.exec(eventId)
  if (match === null || match[1] !== subscriptionId) return null
  const number = (text = '-') => (text === '-' ? null : Number(text))
  return { sequence: Number(match[2]), trade: number(match[3]), candle: number(match[4]) }
}

/** The most trades or candles that are fetched to fill a gap; a reader further behind starts anew. */
const mostBehind = 20_000

/** FAILED_PRECONDITION where a position is further behind the market than is filled. */
export async function refuseFarBehind(
  { clock, exchange }: Pick<Ports, 'clock' | 'exchange'>,
  { symbol, streams, interval }: Market,
  { trade, candle }: MarketPosition,
  { signal, fail }: { signal: AbortSignal; fail: Fail<'FAILED_PRECONDITION'> },
): Promise<void> {
  if (candle !== null && streams.includes('kline')) {
    if (clock.now().getTime() - candle > mostBehind * candleMs(interval)) throw tooFarBehind(fail)
  }
  if (trade === null || !streams.includes('trade')) return
  const newest = await exchange.newestTrade(symbol, signal)
  if (newest !== null && newest - trade > mostBehind) throw tooFarBehind(fail)
}

/** Milliseconds of a candle; of a month, the fewest it can have. */
export function candleMs(interval: string): number {
  return 1_000 * (Object.hasOwn(candleSeconds, interval) ? candleSeconds[interval as keyof typeof candleSeconds] : 1)
}

/** True where the exchange may respond in a moment. */
export function isAway(thrown: unknown): thrown is DomainError {
  return thrown instanceof DomainError && (thrown.code === 'UNAVAILABLE' || thrown.code === 'DEADLINE_EXCEEDED')
}

export function tooFarBehind(fail: Fail<'FAILED_PRECONDITION'>): DomainError {
  return fail(
    'FAILED_PRECONDITION',
    'Too much happened since this event to send it afterwards. Open the stream without last_event_id.',
  )
}

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

import { DomainError } from '../errors.ts'
import {
  candlesAtOnce,
  type Exchange,
  type Market,
  type MarketCandle,
  type MarketDepth,
  type MarketTicker,
  type MarketTrade,
  tradesAtOnce,
} from '../ports/market.ts'
import type { MarketPosition } from './market-position.ts'

/** Something of a market with the position that it leads to; `filled` where the exchange was asked for it afterwards. */
export type MarketTelling = { position: MarketPosition; filled: boolean } & (
  | { trade: MarketTrade }
  | { candle: MarketCandle; at: Date }
  | { depth: MarketDepth; at: Date }
  | { ticker: MarketTicker }
)

/** Most questions to fill one gap: whoever is further behind begins anew. */
const mostPages = 20

/**
 * A market from a position on: every trade and every closed candle once and in order, whatever the exchange's socket
 * missed, and the changes of the open candle, the book and the ticker as they come.
 */
export async function* readMarket(
  exchange: Exchange,
  market: Market,
  from: MarketPosition,
  signal: AbortSignal,
): AsyncGenerator<MarketTelling, void, undefined> {
  let position = from
  let opened: number | null = null

  const tellTrade = (trade: MarketTrade, filled: boolean): MarketTelling => {
    position = { ...position, sequence: position.sequence + 1, trade: trade.id }
    return { position, filled, trade }
  }
  const tellCandle = (candle: MarketCandle, at: Date, filled: boolean): MarketTelling => {
    const time = candle.openedAt.getTime()
    // Until the first one is closed, the position says that it is still to come.
    const told = candle.closed ? time : (position.candle ?? time - 1)
    position = { ...position, sequence: position.sequence + 1, candle: told }
    return { position, filled, candle, at }
  }

  /** What stands for itself: no other can be missing before it. */
  const onward = () => {
    position = { ...position, sequence: position.sequence + 1 }
    return { position, filled: false }
  }

  /** Trades after the position and before an id; those up to now where there is none. */
  async function* missedTrades(until = Number.POSITIVE_INFINITY): AsyncGenerator<MarketTelling> {
    for (let pages = 0; position.trade !== null && position.trade + 1 < until; pages += 1) {
      if (pages === mostPages) throw tooFarBehind()
      const next = position.trade + 1
      const page = await exchange.tradesFrom(market.symbol, next, signal)
      for (const trade of page) {
        if (trade.id >= until) return
        if (trade.id !== position.trade + 1) throw tooFarBehind()
        yield tellTrade(trade, true)
      }
      if (until === Number.POSITIVE_INFINITY && page.length < tradesAtOnce) return
      if (page.length === 0)
        throw new DomainError('UNAVAILABLE', 'The exchange does not tell trades that were missed; open it again.')
    }
  }

  /** Candles that were closed after the position. */
  async function* missedCandles(): AsyncGenerator<MarketTelling> {
    for (let pages = 0; position.candle !== null; pages += 1) {
      if (pages === mostPages) throw tooFarBehind()
      const page = await exchange.candlesFrom(market, new Date(position.candle + 1), signal)
      for (const candle of page)
        if (candle.closed && candle.openedAt.getTime() > position.candle)
          yield tellCandle(candle, candle.closesAt, true)
      if (page.length < candlesAtOnce) return
    }
  }

  for await (const news of exchange.follow(market, signal)) {
    if (news.kind === 'joined') yield* news.stream === 'trade' ? missedTrades() : missedCandles()
    else if (news.kind === 'trade') {
      if (position.trade !== null && news.trade.id <= position.trade) continue
      yield* missedTrades(news.trade.id)
      yield tellTrade(news.trade, false)
    } else if (news.kind === 'depth') yield { ...onward(), depth: news.depth, at: news.at }
    else if (news.kind === 'ticker') yield { ...onward(), ticker: news.ticker }
    else {
      const time = news.candle.openedAt.getTime()
      if (position.candle !== null && time <= position.candle) continue
      // The one before was never told as closed.
      if (opened !== null && opened < time && (position.candle ?? 0) < opened) yield* missedCandles()
      opened = time
      if (position.candle === null || time > position.candle) yield tellCandle(news.candle, news.at, false)
    }
  }
}

function tooFarBehind(): DomainError {
  const message = 'The exchange tells no more of what came since then; open the stream without last_event_id.'
  return new DomainError('FAILED_PRECONDITION', message)
}

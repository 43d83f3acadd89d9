import type { DomainError, Fail } from '../core/errors.ts'
import type { Ports } from '../ports/index.ts'
import {
  candlesAtOnce,
  type ExchangeEvent,
  type Market,
  type MarketCandle,
  type MarketDepth,
  type MarketStream,
  type MarketTicker,
  type MarketTrade,
  tradesAtOnce,
} from '../ports/market.ts'
import type { Clock } from '../ports/system.ts'
import { candleMs, isAway, type MarketPosition, refuseFarBehind, tooFarBehind } from './market-events.ts'

/** An event of a market, with the position that it leads to; `filled` where it was fetched to fill a gap. */
export type MarketEvent = { position: MarketPosition; filled: boolean } & (
  | { trade: MarketTrade }
  | { candle: MarketCandle; at: Date }
  | { depth: MarketDepth; at: Date }
  | { ticker: MarketTicker }
  | { status: { state: 'interrupted' | 'resumed'; message: string; at: Date } }
)

type Events<Result = void> = AsyncGenerator<MarketEvent, Result, undefined>

/** What reading a market takes from the call of the stream. */
export type ReadContext = { signal: AbortSignal; fail: Fail<'FAILED_PRECONDITION' | 'UNAVAILABLE'> }

/** The state of one reader: its position, and what it waits for. */
type Reader = ReadContext & {
  ports: Pick<Ports, 'clock' | 'exchange'>
  market: Market
  position: MarketPosition
  /** Opening time of the open candle that was last looked at, in milliseconds. */
  openCandle: number | null
  /** True from an `interrupted` to the next `resumed`. */
  interrupted: boolean
  /** The streams that are not received at the moment. */
  missing: Set<MarketStream>
}

/** The most requests for one gap. An exchange may return fewer rows than requested. */
const mostPages = 100
/** Milliseconds before missed events are requested again, where the exchange names no delay. */
const retryMs = 2_000

/**
 * A market from a position on: every trade and every closed candle once and in order, whatever the exchange's socket
 * missed; the changes of the open candle, the order book and the ticker as they come; and whether the exchange is received.
 */
export async function* readMarket(
  ports: Pick<Ports, 'clock' | 'exchange'>,
  market: Market,
  from: MarketPosition,
  context: ReadContext,
): Events {
  const reader: Reader = {
    ...context,
    ports,
    market,
    position: from,
    openCandle: null,
    interrupted: false,
    missing: new Set(market.streams),
  }
  for (let pause = yield* follow(reader); pause !== null && !context.signal.aborted; pause = yield* follow(reader)) {
    yield* statusChange(reader, 'interrupted')
    await passed(ports.clock, pause, context.signal)
  }
}

/** Follows the exchange until it fails to return what was missed. Returns the milliseconds to wait, or null at the end. */
async function* follow(reader: Reader): Events<number | null> {
  const { market, ports, signal } = reader
  reader.missing = new Set(market.streams)
  for await (const news of ports.exchange.follow(market, signal)) {
    try {
      yield* eventsOf(reader, news)
    } catch (thrown) {
      if (signal.aborted || !isAway(thrown)) throw thrown
      return retryAfterMs(thrown)
    }
  }
  return null
}

function retryAfterMs({ details }: DomainError): number {
  return (details.retryAfterSeconds ?? 0) * 1_000 || retryMs
}

async function* eventsOf(reader: Reader, news: ExchangeEvent): Events {
  switch (news.kind) {
    case 'lost':
      reader.missing.add(news.stream)
      yield* statusChange(reader, 'interrupted')
      return
    case 'joined':
      if (news.stream === 'trade') yield* missedTrades(reader)
      if (news.stream === 'kline') yield* missedCandles(reader)
      reader.missing.delete(news.stream)
      if (reader.missing.size === 0) yield* statusChange(reader, 'resumed')
      return
    case 'depth':
      yield { ...moved(reader, {}, false), depth: news.depth, at: news.at }
      return
    case 'ticker':
      yield { ...moved(reader, {}, false), ticker: news.ticker }
      return
    case 'trade':
      if (reader.position.trade !== null && news.trade.id <= reader.position.trade) return
      yield* missedTrades(reader, news.trade.id)
      yield tradeEvent(reader, news.trade, false)
      return
    case 'candle':
      yield* candleNews(reader, news)
  }
}

async function* candleNews(reader: Reader, { candle, at }: ExchangeEvent & { kind: 'candle' }): Events {
  const time = candle.openedAt.getTime()
  const last = reader.position.candle
  if (last !== null && time <= last) return
  // A candle before this one was never received as closed. The exchange returns it by the end of this one.
  const hasGap = last !== null && last + candleMs(reader.market.interval) < time
  if (hasGap && (reader.openCandle !== time || candle.closed)) yield* missedCandles(reader)
  reader.openCandle = time
  if (reader.position.candle === null || time > reader.position.candle) yield candleEvent(reader, candle, at, false)
}

/** Trades after the position and before an id; all up to now where there is none. */
async function* missedTrades(reader: Reader, until = Number.POSITIVE_INFINITY): Events {
  const { fail, market, ports, position, signal } = reader
  if (position.trade === null || position.trade + 1 >= until) return
  await refuseFarBehind(ports, market, { ...position, candle: null }, reader)
  let last = position.trade
  for (let pages = 0; last + 1 < until; pages += 1) {
    if (pages === mostPages) throw tooFarBehind(fail)
    const page = await ports.exchange.tradesFrom(market.symbol, last + 1, signal)
    for (const trade of page) {
      if (trade.id >= until) return
      if (trade.id !== last + 1) throw tooFarBehind(fail)
      last = trade.id
      yield tradeEvent(reader, trade, true)
    }
    if (until === Number.POSITIVE_INFINITY && page.length < tradesAtOnce) return
    if (page.length === 0)
      throw fail('UNAVAILABLE', 'The exchange does not return the trades that were missed. Open the stream again.')
  }
}

/** Candles that were closed after the position. */
async function* missedCandles(reader: Reader): Events {
  const { fail, market, ports, position, signal } = reader
  if (position.candle === null) return
  await refuseFarBehind(ports, market, { ...position, trade: null }, reader)
  let last = position.candle
  for (let pages = 0; ; pages += 1) {
    if (pages === mostPages) throw tooFarBehind(fail)
    const page = await ports.exchange.candlesFrom(market, new Date(last + 1), signal)
    for (const candle of page) {
      if (!candle.closed || candle.openedAt.getTime() <= last) continue
      last = candle.openedAt.getTime()
      yield candleEvent(reader, candle, candle.closesAt, true)
    }
    if (page.length < candlesAtOnce) return
  }
}

/** Moves the reader's position by one event. */
function moved(reader: Reader, to: Partial<MarketPosition>, filled: boolean) {
  reader.position = { ...reader.position, ...to, sequence: reader.position.sequence + 1 }
  return { position: reader.position, filled }
}

function tradeEvent(reader: Reader, trade: MarketTrade, filled: boolean): MarketEvent {
  return { ...moved(reader, { trade: trade.id }, filled), trade }
}

function candleEvent(reader: Reader, candle: MarketCandle, at: Date, filled: boolean): MarketEvent {
  const time = candle.openedAt.getTime()
  // Until the first candle is closed, the position is just before it.
  return {
    ...moved(reader, { candle: candle.closed ? time : (reader.position.candle ?? time - 1) }, filled),
    candle,
    at,
  }
}

/** The change of the status; nothing where the reader has that status already. */
function* statusChange(reader: Reader, state: 'interrupted' | 'resumed'): Generator<MarketEvent> {
  if (reader.interrupted === (state === 'interrupted')) return
  reader.interrupted = !reader.interrupted
  const status = { state, message: statusMessages[state], at: reader.ports.clock.now() }
  yield { ...moved(reader, {}, false), status }
}

const statusMessages = {
  interrupted: 'The exchange cannot be received at the moment. What is missed follows once it is back.',
  resumed: 'The exchange is received again. Every trade and closed candle that was missed has been sent.',
}

async function passed(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  const over = AbortSignal.any([signal, clock.limit(milliseconds)])
  if (!over.aborted) await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }))
}

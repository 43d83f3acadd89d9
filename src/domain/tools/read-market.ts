import { DomainError } from '../core/errors.ts'
import { timeLimit } from '../core/time-limit.ts'
import type { Ports } from '../ports/index.ts'
import {
  candlesAtOnce,
  type Market,
  type MarketCandle,
  type MarketDepth,
  type MarketNews,
  type MarketStream,
  type MarketTicker,
  type MarketTrade,
  tradesAtOnce,
} from '../ports/market.ts'
import { candleMs, isAway, refuseFarBehind, tooFarBehind } from './market-lag.ts'
import type { MarketPosition } from './market-position.ts'

/** Something of a market with the position that it leads to; `filled` where the exchange was asked for it afterwards. */
export type MarketTelling = { position: MarketPosition; filled: boolean } & (
  | { trade: MarketTrade }
  | { candle: MarketCandle; at: Date }
  | { depth: MarketDepth; at: Date }
  | { ticker: MarketTicker }
  | { status: { state: 'interrupted' | 'resumed'; message: string; at: Date } }
)

type Tellings<Result = void> = AsyncGenerator<MarketTelling, Result, undefined>

/** Most questions to fill one gap, where the exchange answers fewer at once than it may. */
const mostPages = 100
/** Milliseconds after which an exchange that does not tell what was missed is asked again, if it names none. */
const pauseMs = 2_000

/**
 * A market from a position on: every trade and every closed candle once and in order, whatever the exchange's socket
 * missed, the changes of the open candle, the book and the ticker as they come, and whether the exchange is heard.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the steps of one stream share its position
export async function* readMarket(
  ports: Pick<Ports, 'clock' | 'exchange'>,
  market: Market,
  from: MarketPosition,
  signal: AbortSignal,
): Tellings {
  const { clock, exchange } = ports
  let position = from
  let opened: number | null = null
  let interrupted = false
  let unheard = new Set<MarketStream>(market.streams)

  const moved = (to: Partial<MarketPosition>, filled: boolean) => {
    position = { ...position, ...to, sequence: position.sequence + 1 }
    return { position, filled }
  }
  const tellTrade = (trade: MarketTrade, filled: boolean): MarketTelling => ({
    ...moved({ trade: trade.id }, filled),
    trade,
  })
  const tellCandle = (candle: MarketCandle, at: Date, filled: boolean): MarketTelling => {
    const time = candle.openedAt.getTime()
    // Until the first one is closed, the position says that it is still to come.
    return { ...moved({ candle: candle.closed ? time : (position.candle ?? time - 1) }, filled), candle, at }
  }
  /** Nothing where that is known already. */
  function* tellStatus(state: 'interrupted' | 'resumed'): Generator<MarketTelling> {
    if (interrupted === (state === 'interrupted')) return
    interrupted = !interrupted
    yield { ...moved({}, false), status: { state, message: words[state], at: clock.now() } }
  }

  /** Trades after the position and before an id; those up to now where there is none. */
  async function* missedTrades(until = Number.POSITIVE_INFINITY): Tellings {
    if (position.trade === null || position.trade + 1 >= until) return
    await refuseFarBehind(ports, market, { ...position, candle: null }, signal)
    for (let pages = 0; position.trade + 1 < until; pages += 1) {
      if (pages === mostPages) throw tooFarBehind()
      const page = await exchange.tradesFrom(market.symbol, position.trade + 1, signal)
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
  async function* missedCandles(): Tellings {
    if (position.candle === null) return
    await refuseFarBehind(ports, market, { ...position, trade: null }, signal)
    for (let pages = 0; ; pages += 1) {
      if (pages === mostPages) throw tooFarBehind()
      const page = await exchange.candlesFrom(market, new Date(position.candle + 1), signal)
      for (const candle of page)
        if (candle.closed && candle.openedAt.getTime() > position.candle)
          yield tellCandle(candle, candle.closesAt, true)
      if (page.length < candlesAtOnce) return
    }
  }

  async function* tell(news: MarketNews): Tellings {
    switch (news.kind) {
      case 'lost':
        unheard.add(news.stream)
        yield* tellStatus('interrupted')
        return
      case 'joined':
        if (news.stream === 'trade') yield* missedTrades()
        if (news.stream === 'kline') yield* missedCandles()
        unheard.delete(news.stream)
        if (unheard.size === 0) yield* tellStatus('resumed')
        return
      case 'depth':
        yield { ...moved({}, false), depth: news.depth, at: news.at }
        return
      case 'ticker':
        yield { ...moved({}, false), ticker: news.ticker }
        return
      case 'trade':
        if (position.trade !== null && news.trade.id <= position.trade) return
        yield* missedTrades(news.trade.id)
        yield tellTrade(news.trade, false)
        return
      case 'candle': {
        const time = news.candle.openedAt.getTime()
        if (position.candle !== null && time <= position.candle) return
        // One before it was never told as closed; by the end of this one the exchange surely tells it.
        const missed = position.candle !== null && position.candle + candleMs(market.interval) < time
        if (missed && (opened !== time || news.candle.closed)) yield* missedCandles()
        opened = time
        if (position.candle === null || time > position.candle) yield tellCandle(news.candle, news.at, false)
      }
    }
  }

  /** Follows the exchange until it does not tell what was missed: answers after how many milliseconds to try again. */
  async function* follow(): Tellings<number | null> {
    unheard = new Set(market.streams)
    for await (const news of exchange.follow(market, signal)) {
      try {
        yield* tell(news)
      } catch (thrown) {
        if (signal.aborted || !isAway(thrown)) throw thrown
        return (thrown.details.retryAfterSeconds ?? 0) * 1_000 || pauseMs
      }
    }
    return null
  }

  for (let pause = yield* follow(); pause !== null && !signal.aborted; pause = yield* follow()) {
    yield* tellStatus('interrupted')
    await passed(pause, signal)
  }
}

const words = {
  interrupted: 'The exchange is not heard at the moment; what it tells meanwhile follows once it is back.',
  resumed: 'The exchange is heard again, and every trade and closed candle of the meantime has been told.',
}

async function passed(milliseconds: number, signal: AbortSignal): Promise<void> {
  const over = AbortSignal.any([signal, timeLimit(milliseconds)])
  if (!over.aborted) await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }))
}

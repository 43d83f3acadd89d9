import type { z } from 'zod'
import type { Exchange, ExchangeEvent, Market, MarketStream } from '../../domain/ports/market.ts'
import { candlesAtOnce, tradesAtOnce } from '../../domain/ports/market.ts'
import { createFeed } from '../async/feed.ts'
import type { HttpProvider } from '../providers/http.ts'
import type { StreamSocket } from './stream-socket.ts'
import {
  closedBefore,
  depth,
  exchangeInfo,
  infoRequest,
  restCandles,
  restTrades,
  streamCandle,
  streamTicker,
  streamTrade,
} from './wire.ts'

/** The most events that wait for a reader. */
const mostWaiting = 2_000
/** How long the newest trade is cached, for many readers can resume at the same time. */
const newestMs = 1_000

/** The exchange by REST and one socket, in the format of Binance; `source` names it in results. */
export function createExchange(rest: HttpProvider, socket: StreamSocket, source: string): Exchange {
  const newsOf = createReading()
  return {
    source,
    async symbols(signal) {
      const { value } = await rest.request({ ...infoRequest, schema: exchangeInfo, signal })
      return value.map(({ symbol }) => symbol)
    },
    follow: (market, signal) => follow(socket, newsOf, market, signal),
    async newestTrade(symbol, signal) {
      const query = { symbol, limit: 1 }
      const request = { path: '/api/v3/aggTrades', query, schema: restTrades, cacheMs: newestMs, signal }
      return (await rest.request(request)).value.at(-1)?.id ?? null
    },
    async tradesFrom(symbol, fromId, signal) {
      const query = { symbol, fromId, limit: tradesAtOnce }
      return (await rest.request({ path: '/api/v3/aggTrades', query, schema: restTrades, signal })).value
    },
    async candlesFrom({ symbol, interval }, openedAt, signal) {
      const query = { symbol, interval, startTime: openedAt.getTime(), limit: candlesAtOnce }
      const { value } = await rest.request({ path: '/api/v3/klines', query, schema: restCandles, signal })
      return closedBefore(value, interval, Date.now())
    },
  }
}

/** Joins the streams of a market at once, so that nothing is missed before the first read. */
function follow(
  socket: StreamSocket,
  newsOf: ReadNews,
  market: Market,
  signal: AbortSignal,
): AsyncGenerator<ExchangeEvent, void, undefined> {
  const ended = new AbortController()
  const feed = createFeed<ExchangeEvent>(mostWaiting)
  const reading = feed.read(AbortSignal.any([signal, ended.signal]))
  const leave = market.streams.map((stream) =>
    socket.join(nameOf(market, stream), {
      joined: () => feed.publish({ kind: 'joined', stream }),
      lost: () => feed.publish({ kind: 'lost', stream }),
      message(data) {
        const news = newsOf(stream, data)
        if (news !== null) feed.publish(news)
      },
    }),
  )
  return relay(reading, () => {
    for (const stop of leave) stop()
    ended.abort()
  })
}

async function* relay(reading: AsyncGenerator<ExchangeEvent, void, undefined>, stop: () => void) {
  try {
    yield* reading
  } finally {
    stop()
  }
}

function nameOf({ symbol, interval }: Market, stream: MarketStream): string {
  const names = { trade: 'aggTrade', kline: `kline_${interval}`, depth: 'depth20', ticker: 'ticker' }
  return `${symbol.toLowerCase()}@${names[stream]}`
}

type ReadNews = (stream: MarketStream, data: unknown) => ExchangeEvent | null

/** Parses a message once for all its listeners. Null where it is not in the format: one invalid message ends nothing. */
function createReading(): ReadNews {
  const read = new WeakMap<object, ExchangeEvent | null>()
  return (stream, data) => {
    if (typeof data !== 'object' || data === null) return null
    const known = read.get(data)
    if (known !== undefined) return known
    const news = readers[stream].safeParse(data).data ?? null
    read.set(data, news)
    return news
  }
}

const readers: Readonly<Record<MarketStream, z.ZodType<ExchangeEvent>>> = {
  trade: streamTrade.transform((trade) => ({ kind: 'trade', trade })),
  kline: streamCandle.transform((candle) => ({ kind: 'candle', ...candle })),
  depth: depth.transform((book) => ({ kind: 'depth', depth: book, at: new Date() })),
  ticker: streamTicker.transform((ticker) => ({ kind: 'ticker', ticker })),
}

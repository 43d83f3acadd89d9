import type { z } from 'zod'
import type { Exchange, Market, MarketNews, MarketStream } from '../../domain/ports/market.ts'
import { candlesAtOnce, tradesAtOnce } from '../../domain/ports/market.ts'
import { createFeed } from '../async/feed.ts'
import type { HttpProvider } from '../providers/http.ts'
import type { StreamSocket } from './stream-socket.ts'
import {
  closedBefore,
  depth,
  exchangeInfo,
  infoAsked,
  restCandles,
  restTrades,
  streamCandle,
  streamTicker,
  streamTrade,
} from './wire.ts'

/** News that may wait for a reader. */
const patience = 2_000
/** Many readers may come back at the same time. */
const newestMs = 1_000

/** The exchange by REST and one socket, in the format of Binance; `source` names it in answers. */
export function createExchange(rest: HttpProvider, socket: StreamSocket, source: string): Exchange {
  const newsOf = createReading()
  return {
    source,
    async symbols(signal) {
      const { value } = await rest.ask({ ...infoAsked, schema: exchangeInfo, signal })
      return value.map(({ symbol }) => symbol)
    },
    follow: (market, signal) => follow(socket, newsOf, market, signal),
    async newestTrade(symbol, signal) {
      const query = { symbol, limit: 1 }
      const asked = { path: '/api/v3/aggTrades', query, schema: restTrades, cacheMs: newestMs, signal }
      return (await rest.ask(asked)).value.at(-1)?.id ?? null
    },
    async tradesFrom(symbol, fromId, signal) {
      const query = { symbol, fromId, limit: tradesAtOnce }
      return (await rest.ask({ path: '/api/v3/aggTrades', query, schema: restTrades, signal })).value
    },
    async candlesFrom({ symbol, interval }, openedAt, signal) {
      const query = { symbol, interval, startTime: openedAt.getTime(), limit: candlesAtOnce }
      const { value } = await rest.ask({ path: '/api/v3/klines', query, schema: restCandles, signal })
      return closedBefore(value, interval, Date.now())
    },
  }
}

/** Joins the streams of a market before it answers, so that nothing is missed until the first reading. */
function follow(
  socket: StreamSocket,
  newsOf: ReadNews,
  market: Market,
  signal: AbortSignal,
): AsyncGenerator<MarketNews, void, undefined> {
  const ended = new AbortController()
  const feed = createFeed<MarketNews>(patience)
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

async function* relay(reading: AsyncGenerator<MarketNews, void, undefined>, stop: () => void) {
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

type ReadNews = (stream: MarketStream, data: unknown) => MarketNews | null

/** Reads a message once, however many listen to it. Null for what is not in the format: one odd message ends nothing. */
function createReading(): ReadNews {
  const read = new WeakMap<object, MarketNews | null>()
  return (stream, data) => {
    if (typeof data !== 'object' || data === null) return null
    const known = read.get(data)
    if (known !== undefined) return known
    const news = readers[stream].safeParse(data).data ?? null
    read.set(data, news)
    return news
  }
}

const readers: Readonly<Record<MarketStream, z.ZodType<MarketNews>>> = {
  trade: streamTrade.transform((trade) => ({ kind: 'trade', trade })),
  kline: streamCandle.transform((told) => ({ kind: 'candle', ...told })),
  depth: depth.transform((book) => ({ kind: 'depth', depth: book, at: new Date() })),
  ticker: streamTicker.transform((told) => ({ kind: 'ticker', ticker: told })),
}

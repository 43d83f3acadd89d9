import { z } from 'zod'

const decimal = z.string().regex(/^\d{1,30}(\.\d{1,30})?$/)
const signed = z.string().regex(/^-?\d{1,30}(\.\d{1,30})?$/)
const id = z.int().min(0)
const moment = z
  .int()
  .min(0)
  .max(8.64e15)
  .transform((milliseconds) => new Date(milliseconds))

const symbol = z.string().max(40)

/** The request of the markets: the list is long, and seldom changes. */
export const infoRequest = { path: '/api/v3/exchangeInfo', cacheMs: 60_000, mostBytes: 33_554_432 } as const

/** The markets that trade. */
export const exchangeInfo = z
  .object({
    symbols: z
      .array(
        z.object({
          symbol,
          status: z.string().default('TRADING'),
          baseAsset: symbol.nullable().default(null),
          quoteAsset: symbol.nullable().default(null),
        }),
      )
      .max(20_000),
  })
  .transform(({ symbols }) =>
    symbols
      .filter(({ status }) => status === 'TRADING')
      .map(({ symbol: name, baseAsset: base, quoteAsset: quote }) => ({ symbol: name.toUpperCase(), base, quote })),
  )

export const prices = z.array(z.object({ symbol, price: decimal })).max(20_000)
export const serverTime = z.object({ serverTime: moment }).transform((answer) => answer.serverTime)
export const averagePrice = z
  .object({ mins: z.int(), price: decimal })
  .transform(({ mins, price }) => ({ minutes: mins, price }))
export const bookTicker = z
  .object({ bidPrice: decimal, bidQty: decimal, askPrice: decimal, askQty: decimal })
  .transform(bestOffers)

const trade = z
  .object({ a: id, p: decimal, q: decimal, T: moment, m: z.boolean() })
  .transform(({ a, p, q, T, m }) => ({ id: a, price: p, quantity: q, at: T, buyerIsMaker: m }))

export const streamTrade = trade
export const restTrades = z.array(trade).max(1_000)

export const streamCandle = z
  .object({
    E: moment,
    k: z.object({
      t: moment,
      T: moment,
      o: decimal,
      h: decimal,
      l: decimal,
      c: decimal,
      v: decimal,
      i: z.string(),
      x: z.boolean(),
    }),
  })
  .transform(({ E, k }) => ({
    at: E,
    candle: {
      interval: k.i,
      openedAt: k.t,
      closesAt: k.T,
      open: k.o,
      high: k.h,
      low: k.l,
      close: k.c,
      volume: k.v,
      closed: k.x,
    },
  }))

const offer = z
  .tuple([decimal, decimal])
  .rest(z.unknown())
  .transform(([price, quantity]) => ({ price, quantity }))
const offers = z.array(offer).max(5_000)

/** The order book, as the stream and REST send it; neither has a time. */
export const depth = z
  .object({ lastUpdateId: id, bids: offers, asks: offers })
  .transform(({ lastUpdateId, ...sides }) => ({ updateId: lastUpdateId, ...sides }))

export const streamTicker = z
  .object({
    c: decimal,
    o: decimal,
    h: decimal,
    l: decimal,
    w: decimal,
    p: signed,
    P: signed,
    v: decimal,
    q: decimal,
    b: decimal,
    B: decimal,
    a: decimal,
    A: decimal,
    n: id,
    O: moment,
    E: moment,
  })
  .transform(({ c, o, h, l, w, p, P, v, q, b, B, a, A, n, O, E }) => ({
    lastPrice: c,
    openPrice: o,
    highPrice: h,
    lowPrice: l,
    averagePrice: w,
    change: p,
    changePercent: P,
    volume: v,
    quoteVolume: q,
    bid: { price: b, quantity: B },
    ask: { price: a, quantity: A },
    trades: n,
    openedAt: O,
    at: E,
  }))

export const restTickers = z
  .array(
    z
      .object({
        symbol,
        lastPrice: decimal,
        openPrice: decimal,
        highPrice: decimal,
        lowPrice: decimal,
        weightedAvgPrice: decimal,
        priceChange: signed,
        priceChangePercent: signed,
        volume: decimal,
        quoteVolume: decimal,
        bidPrice: decimal,
        bidQty: decimal,
        askPrice: decimal,
        askQty: decimal,
        count: id,
        openTime: moment,
        closeTime: moment,
      })
      .transform(({ symbol: name, lastPrice, openPrice, highPrice, lowPrice, volume, quoteVolume, ...rest }) => ({
        symbol: name,
        lastPrice,
        openPrice,
        highPrice,
        lowPrice,
        volume,
        quoteVolume,
        averagePrice: rest.weightedAvgPrice,
        change: rest.priceChange,
        changePercent: rest.priceChangePercent,
        ...bestOffers(rest),
        trades: rest.count,
        openedAt: rest.openTime,
        at: rest.closeTime,
      })),
  )
  .max(20_000)

function bestOffers(offers: Record<'bidPrice' | 'bidQty' | 'askPrice' | 'askQty', string>) {
  const { bidPrice, bidQty, askPrice, askQty } = offers
  return { bid: { price: bidPrice, quantity: bidQty }, ask: { price: askPrice, quantity: askQty } }
}

/**
 * Rows of REST as candles. A candle is closed where the exchange has a later one, or long after its end: the clock here
 * can be ahead of the exchange's, which still changes it.
 */
export function closedBefore<T extends { closesAt: Date }>(rows: readonly T[], interval: string, now: number) {
  return rows.map((candle, index) => {
    const closed = index < rows.length - 1 || candle.closesAt.getTime() + mostAheadMs < now
    return { ...candle, interval, closed }
  })
}

const mostAheadMs = 30_000

export const restCandles = z
  .array(z.tuple([moment, decimal, decimal, decimal, decimal, decimal, moment]).rest(z.unknown()))
  .max(1_000)
  .transform((rows) =>
    rows.map(([openedAt, open, high, low, close, volume, closesAt]) => ({
      openedAt,
      open,
      high,
      low,
      close,
      volume,
      closesAt,
    })),
  )

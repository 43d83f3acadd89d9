import { z } from 'zod'

const decimal = z.string().regex(/^\d{1,30}(\.\d{1,30})?$/)
const signed = z.string().regex(/^-?\d{1,30}(\.\d{1,30})?$/)
const id = z.int().min(0)
const moment = z
  .int()
  .min(0)
  .max(8.64e15)
  .transform((milliseconds) => new Date(milliseconds))

/** Symbols of the markets that trade. */
export const exchangeInfo = z
  .object({ symbols: z.array(z.object({ symbol: z.string().max(40), status: z.string().optional() })).max(20_000) })
  .transform(({ symbols }) =>
    symbols.filter(({ status = 'TRADING' }) => status === 'TRADING').map(({ symbol }) => symbol.toUpperCase()),
  )

const trade = z
  .object({ a: id, p: decimal, q: decimal, T: moment, m: z.boolean() })
  .transform(({ a, p, q, T, m }) => ({ id: a, price: p, quantity: q, at: T, buyerIsMaker: m }))

export const streamTrade = trade
export const restTrades = z.array(trade).max(1_000)

export const streamCandle = z
  .object({
    E: moment,
    k: z.object({
      ...{ t: moment, T: moment, o: decimal, h: decimal, l: decimal, c: decimal, v: decimal },
      i: z.string(),
      x: z.boolean(),
    }),
  })
  .transform(({ E, k }) => ({
    at: E,
    candle: {
      ...{ interval: k.i, openedAt: k.t, closesAt: k.T, open: k.o, high: k.h, low: k.l, close: k.c },
      ...{ volume: k.v, closed: k.x },
    },
  }))

const offer = z
  .tuple([decimal, decimal])
  .rest(z.unknown())
  .transform(([price, quantity]) => ({ price, quantity }))
const offers = z.array(offer).max(5_000)

/** The best offers, as the stream and REST tell them; neither says when. */
export const depth = z
  .object({ lastUpdateId: id, bids: offers, asks: offers })
  .transform(({ lastUpdateId, ...sides }) => ({ updateId: lastUpdateId, ...sides }))

export const streamTicker = z
  .object({
    ...{ c: decimal, o: decimal, h: decimal, l: decimal, w: decimal, p: signed, P: signed, v: decimal, q: decimal },
    ...{ b: decimal, B: decimal, a: decimal, A: decimal, n: id, O: moment, E: moment },
  })
  .transform(({ c, o, h, l, w, p, P, v, q, b, B, a, A, n, O, E }) => ({
    ...{ lastPrice: c, openPrice: o, highPrice: h, lowPrice: l, averagePrice: w, change: p, changePercent: P },
    ...{ volume: v, quoteVolume: q, bid: { price: b, quantity: B }, ask: { price: a, quantity: A } },
    ...{ trades: n, openedAt: O, at: E },
  }))

export const restCandles = z
  .array(z.tuple([moment, decimal, decimal, decimal, decimal, decimal, moment]).rest(z.unknown()))
  .max(1_000)
  .transform((rows) =>
    rows.map(([openedAt, open, high, low, close, volume, closesAt]) => ({
      ...{ openedAt, open, high, low, close, volume, closesAt },
    })),
  )

import type { tickerOf } from './book.ts'
import { priceText, quantityText, type Tape, type TapeCandle, type TapeTrade } from './tape.ts'

/** A trade in the format of REST. */
export function wireTrade(tape: Tape, { id, price, quantity, sold, at }: TapeTrade) {
  return { a: id, p: priceText(tape, price), q: quantityText(quantity), f: id, l: id, T: at, m: sold, M: true }
}

/** A trade as a stream message. */
export function tradeMessage(tape: Tape, trade: TapeTrade) {
  return { e: 'aggTrade', E: trade.at, s: tape.market.symbol, ...wireTrade(tape, trade) }
}

/** A candle in the format of REST, which is an array. */
export function wireCandle(tape: Tape, candle: TapeCandle) {
  const { opened, closes, open, high, low, close, volume, trades } = candle
  const prices = [open, high, low, close].map((price) => priceText(tape, price))
  const [half, all] = [volume / 2, volume].map(quantityText)
  const [worthHalf, worth] = [half, all].map((amount) => (Number(amount) * close).toFixed(tape.market.priceDigits))
  return [opened, ...prices, all, closes, worth, trades, half, worthHalf, '0']
}

/** A candle as a stream message. */
export function candleMessage(tape: Tape, interval: string, candle: TapeCandle, closed: boolean, now: number) {
  const { opened: t, closes: T, trades: n } = candle
  const [, o, h, l, c, v, , q] = wireCandle(tape, candle)
  const s = tape.market.symbol
  return { e: 'kline', E: now, s, k: { t, T, s, i: interval, o, c, h, l, v, n, x: closed, q } }
}

/** The last 24 hours as a stream message. */
export function tickerMessage(ticker: NonNullable<ReturnType<typeof tickerOf>>) {
  const { symbol: s, priceChange: p, priceChangePercent: P, weightedAvgPrice: w, lastPrice: c, lastQty: Q } = ticker
  const { bidPrice: b, bidQty: B, askPrice: a, askQty: A, openPrice: o, highPrice: h, lowPrice: l } = ticker
  const { volume: v, quoteVolume: q, openTime: O, closeTime: C, firstId: F, lastId: L, count: n } = ticker
  return { e: '24hrTicker', E: C, s, p, P, w, x: o, c, Q, b, B, a, A, o, h, l, v, q, O, C, F, L, n }
}

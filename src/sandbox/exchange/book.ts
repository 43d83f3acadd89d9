import { priceText, quantityText, type Tape } from './tape.ts'

const dayMs = 86_400_000

/** The order book around the market's price, nearest first: bids, then asks, each as price and quantity. */
export function bookOf(tape: Tape, now: number, levels: number): [string[][], string[][]] {
  const { quantity, at } = tape.trade(Math.max(1, tape.newest(now)))
  const price = tape.fair(at)
  const side = (sign: number) =>
    Array.from({ length: levels }, (_, level) => {
      const away = 1 + (sign * (level + 1) * 5) / 10_000
      return [priceText(tape, price * away), quantityText(quantity * (level + 1))]
    })
  return [side(-1), side(1)]
}

/** The best bid and ask, in the format of a ticker. */
export function bestPrices(tape: Tape, now: number) {
  const [[bid], [ask]] = bookOf(tape, now, 1)
  return { bidPrice: bid?.[0], bidQty: bid?.[1], askPrice: ask?.[0], askQty: ask?.[1] }
}

/** The last 24 hours of a market in the format of REST; null where they have no trade. */
export function tickerOf(tape: Tape, now: number) {
  const candle = tape.candle('1d', now - dayMs, now)
  if (candle === null) return null
  const { open, close, high, low, volume, trades: count } = candle
  const text = (price: number) => priceText(tape, price)
  const average = text((open + high + low + close) / 4)
  const lastId = tape.newest(now)
  const last = tape.trade(lastId)
  return {
    symbol: tape.market.symbol,
    priceChange: text(close - open),
    priceChangePercent: (((close - open) / open) * 100).toFixed(3),
    weightedAvgPrice: average,
    lastPrice: text(close),
    lastQty: quantityText(last.quantity),
    ...bestPrices(tape, now),
    openPrice: text(open),
    highPrice: text(high),
    lowPrice: text(low),
    volume: quantityText(volume),
    quoteVolume: text(volume * Number(average)),
    openTime: now - dayMs,
    closeTime: now,
    firstId: Math.max(1, lastId - count + 1),
    lastId,
    count,
  }
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const lengths: Readonly<Record<string, number>> = {
  '1s': second,
  '1m': minute,
  '3m': 3 * minute,
  '5m': 5 * minute,
  '15m': 15 * minute,
  '30m': 30 * minute,
  '1h': hour,
  '2h': 2 * hour,
  '4h': 4 * hour,
  '6h': 6 * hour,
  '8h': 8 * hour,
  '12h': 12 * hour,
  '1d': day,
  '3d': 3 * day,
  '1w': 7 * day,
}

/** Whether the exchange has candles of this length. */
export function isInterval(interval: string): boolean {
  return interval === '1M' || Object.hasOwn(lengths, interval)
}

/** When the candle at a time opened, in milliseconds. Weeks begin on Monday, months on their first day. */
export function openOf(interval: string, at: number): number {
  const date = new Date(at)
  if (interval === '1M') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
  const length = lengths[interval] ?? minute
  const monday = interval === '1w' ? 4 * day : 0
  return Math.floor((at - monday) / length) * length + monday
}

/** When the next candle opens. */
export function nextOpen(interval: string, opened: number): number {
  if (interval !== '1M') return opened + (lengths[interval] ?? minute)
  const date = new Date(opened)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

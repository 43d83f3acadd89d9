import { candleSeconds } from '../../contract/tools/exchange.ts'
import { DomainError } from '../core/errors.ts'
import type { Ports } from '../ports/index.ts'
import type { Market } from '../ports/market.ts'
import type { MarketPosition } from './market-position.ts'

/** Trades or candles that are fetched for one reader; whoever is further behind begins anew. */
const mostBehind = 20_000

/** FAILED_PRECONDITION where a position is further behind the market than is made up for. */
export async function refuseFarBehind(
  { clock, exchange }: Pick<Ports, 'clock' | 'exchange'>,
  { symbol, streams, interval }: Market,
  { trade, candle }: MarketPosition,
  signal: AbortSignal,
): Promise<void> {
  if (candle !== null && streams.includes('kline')) {
    if (clock.now().getTime() - candle > mostBehind * candleMs(interval)) throw tooFarBehind()
  }
  if (trade === null || !streams.includes('trade')) return
  const newest = await exchange.newestTrade(symbol, signal)
  if (newest !== null && newest - trade > mostBehind) throw tooFarBehind()
}

/** Milliseconds of a candle, the fewest of a month. */
export function candleMs(interval: string): number {
  return 1_000 * (Object.hasOwn(candleSeconds, interval) ? candleSeconds[interval as keyof typeof candleSeconds] : 1)
}

/** May the exchange answer a moment later what it does not answer now. */
export function isAway(thrown: unknown): thrown is DomainError {
  return thrown instanceof DomainError && (thrown.code === 'UNAVAILABLE' || thrown.code === 'DEADLINE_EXCEEDED')
}

export function tooFarBehind(): DomainError {
  const message = 'More came since then than is told afterwards; open the stream without last_event_id.'
  return new DomainError('FAILED_PRECONDITION', message)
}

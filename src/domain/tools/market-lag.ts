import { candleSeconds } from '../../contract/tools/exchange.ts'
import { DomainError, type Fail } from '../core/errors.ts'
import type { Ports } from '../ports/index.ts'
import type { Market } from '../ports/market.ts'
import type { MarketPosition } from './market-cursor.ts'

/** The most trades or candles that are fetched to fill a gap; a reader further behind starts anew. */
const mostBehind = 20_000

/** FAILED_PRECONDITION where a position is further behind the market than is filled. */
export async function refuseFarBehind(
  { clock, exchange }: Pick<Ports, 'clock' | 'exchange'>,
  { symbol, streams, interval }: Market,
  { trade, candle }: MarketPosition,
  { signal, fail }: { signal: AbortSignal; fail: Fail<'FAILED_PRECONDITION'> },
): Promise<void> {
  if (candle !== null && streams.includes('kline')) {
    if (clock.now().getTime() - candle > mostBehind * candleMs(interval)) throw tooFarBehind(fail)
  }
  if (trade === null || !streams.includes('trade')) return
  const newest = await exchange.newestTrade(symbol, signal)
  if (newest !== null && newest - trade > mostBehind) throw tooFarBehind(fail)
}

/** Milliseconds of a candle; of a month, the fewest it can have. */
export function candleMs(interval: string): number {
  return 1_000 * (Object.hasOwn(candleSeconds, interval) ? candleSeconds[interval as keyof typeof candleSeconds] : 1)
}

/** True where the exchange may respond in a moment. */
export function isAway(thrown: unknown): thrown is DomainError {
  return thrown instanceof DomainError && (thrown.code === 'UNAVAILABLE' || thrown.code === 'DEADLINE_EXCEEDED')
}

export function tooFarBehind(fail: Fail<'FAILED_PRECONDITION'>): DomainError {
  return fail(
    'FAILED_PRECONDITION',
    'Too much happened since this event to send it afterwards. Open the stream without last_event_id.',
  )
}

import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import { invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { SlotSize } from '../ports/ledger.ts'
import { slotMs } from '../ports/ledger.ts'
import { usdNumber, usdText } from '../values/money.ts'

/** Buckets of a series whose start is not given. */
const usualBuckets = 30

type Range = { start?: string | undefined; end?: string | undefined; bucket: SlotSize }

/** The buckets that a series covers, by their number since 1970. INVALID_ARGUMENT for too many, or an end before the start. */
function bucketsOf(
  { start, end, bucket }: Range,
  now: Date,
): { from: number; to: number; startOf(slot: number): string } {
  const ms = slotMs[bucket]
  const to = Math.ceil((end === undefined ? now.getTime() : Date.parse(end)) / ms)
  const from = start === undefined ? to - usualBuckets : Math.floor(Date.parse(start) / ms)
  if (from > to && end === undefined) throw invalid('start', 'is in the future; send an end after it')
  if (from > to) throw invalid('end', 'must not be before start')
  if (to - from > bounds.seriesBuckets)
    throw invalid(
      'start',
      `makes ${to - from} buckets, and a series has at most ${bounds.seriesBuckets}; send a later one or a longer bucket`,
    )
  return { from, to, startOf: (slot) => new Date(slot * ms).toISOString() }
}

function numbersFrom(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index)
}

/** The value that the account traded in each hour or day. */
export const volumeSeries: Handler<typeof contract.metrics.volumeSeries, 'clock' | 'ledger'> = async (
  { clock, ledger },
  input,
  call,
) => {
  const { from, to, startOf } = bucketsOf(input, clock.now())
  const { userId } = call.principal
  const agent = input.agent === undefined ? {} : { agent: input.agent }
  const slots = await ledger.slots({ userId, ...agent, size: input.bucket, from, to })
  const values = new Map(slots.map(({ slot, valueUsd }) => [slot, valueUsd]))
  const points = numbersFrom(from, to).map((slot) => {
    const value = values.get(slot) ?? 0n
    return { start: startOf(slot), volume_usd: usdNumber(value), volume_usd_decimal: usdText(value) }
  })
  return { points }
}

/** The profit of the account in each hour or day: realised by the books, unrealised by the snapshots. */
export const profitSeries: Handler<typeof contract.metrics.profitSeries, 'clock' | 'ledger'> = async (
  { clock, ledger },
  input,
  call,
) => {
  const { from, to, startOf } = bucketsOf(input, clock.now())
  const { userId } = call.principal
  const { bucket: size } = input
  const [before, slots, snapshots] = await Promise.all([
    ledger.volume({ userId, end: new Date(startOf(from)) }),
    ledger.slots({ userId, size, from, to }),
    ledger.snapshots({ userId, size, from, to }),
  ])
  const realized = new Map(slots.map(({ slot, realizedUsd }) => [slot, realizedUsd]))
  const seen = new Map(snapshots.map(({ slot, unrealizedUsd }) => [slot, unrealizedUsd]))
  let total = before.reduce((sum, { realizedUsd }) => sum + realizedUsd, 0n)
  let unrealized = seen.get(from - 1) ?? null
  const points = numbersFrom(from, to).map((slot) => {
    const gained = realized.get(slot) ?? 0n
    total += gained
    unrealized = seen.get(slot) ?? unrealized
    return {
      start: startOf(slot),
      realized_pnl_usd: usdNumber(gained),
      realized_pnl_usd_decimal: usdText(gained),
      total_realized_pnl_usd: usdNumber(total),
      total_realized_pnl_usd_decimal: usdText(total),
      unrealized_pnl_usd: unrealized === null ? null : usdNumber(unrealized),
      unrealized_pnl_usd_decimal: unrealized === null ? null : usdText(unrealized),
    }
  })
  return { points }
}

import type { contract } from '../../contract/index.ts'
import { invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import { usdNumber, usdText } from '../values/money.ts'

/** What the account traded from `start` (inclusive) to `end` (exclusive), in total and by agent. */
export const volume: Handler<typeof contract.metrics.volume, 'ledger'> = async (ports, input, call) => {
  const { agent } = input
  const start = input.start === undefined ? undefined : new Date(input.start)
  const end = input.end === undefined ? undefined : new Date(input.end)
  if (start !== undefined && end !== undefined && start > end) throw invalid('end', 'must not be before start')
  const sums = await ports.ledger.volume({
    userId: call.principal.userId,
    ...(agent === undefined ? {} : { agent }),
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
  })
  const total = sums.reduce((sum, { valueUsd }) => sum + valueUsd, 0n)
  return {
    total_volume_usd: usdNumber(total),
    by_agent: sums.map(({ agent: key, valueUsd }) => ({
      key,
      value: usdNumber(valueUsd),
      value_decimal: usdText(valueUsd),
    })),
    total_volume_usd_decimal: usdText(total),
  }
}

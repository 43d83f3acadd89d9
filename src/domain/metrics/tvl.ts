import type { contract } from '../../contract/index.ts'
import type { Handler } from '../handler.ts'
import { usdNumber, usdText } from '../trading/money.ts'
import { type ValuedNeeds, valuedPositions } from './valued-positions.ts'

/** What the caller's own agents hold, at the feeds' present prices; another account's holdings are not told. */
export const tvl: Handler<typeof contract.metrics.tvl, ValuedNeeds> = async (ports, input, call) => {
  if (input.mode === 'tvlfeed') {
    throw call.fail('UNIMPLEMENTED', 'Mode tvlfeed is not built yet; mode agents answers what your agents hold.')
  }
  const held = await valuedPositions(ports, { userId: call.principal.userId })
  const total = held.reduce((sum, { worth }) => sum + (worth?.valueUsd ?? 0n), 0n)
  const feeds = [...new Set(held.flatMap(({ token, worth }) => (worth === null ? [] : [token.usdFeed])))].sort()
  const source = feeds.length === 0 ? 'agent positions' : `agent positions at the feeds ${feeds.join(', ')}`
  return { tvl_usd: usdNumber(total), source, tvl_usd_decimal: usdText(total) }
}

import type { contract } from '../../contract/index.ts'
import { unrealized } from '../books/average-cost.ts'
import type { Handler } from '../core/handler.ts'
import { usdNumber, usdText } from '../values/money.ts'
import { unpricedOf, type ValuedNeeds, valuedPositions } from './valued-positions.ts'

/** Value less cost of every holding that has a feed price, and the symbols of those that have none. */
export const unrealizedPnl: Handler<typeof contract.metrics.unrealizedPnl, ValuedNeeds> = async (
  ports,
  _input,
  call,
) => {
  const held = await valuedPositions(ports, { userId: call.principal.userId })
  const total = held.reduce((sum, { row, worth }) => sum + (worth === null ? 0n : unrealized(row, worth.valueUsd)), 0n)
  return {
    unrealized_pnl_usd: usdNumber(total),
    unrealized_pnl_usd_decimal: usdText(total),
    unpriced: unpricedOf(held),
  }
}

import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { usdNumber, usdText } from '../values/money.ts'

/** Profit of everything the account sold, closed positions included, less gas. */
export const realizedPnl: Handler<typeof contract.metrics.realizedPnl, 'ledger'> = async (ports, _input, call) => {
  const rows = await ports.ledger.positions({ userId: call.principal.userId })
  const total = rows.reduce((sum, { realizedPnlUsd }) => sum + realizedPnlUsd, 0n)
  return { realized_pnl_usd: usdNumber(total), realized_pnl_usd_decimal: usdText(total) }
}

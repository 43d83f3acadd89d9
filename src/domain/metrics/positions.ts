import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { unrealized } from '../books/average-cost.ts'
import type { Handler } from '../core/handler.ts'
import { formatUnits, usdNumber, usdText } from '../values/money.ts'
import { unpricedOf, type ValuedNeeds, type ValuedPosition, valuedPositions } from './valued-positions.ts'

type Presented = OutputOf<typeof contract.metrics.positions>[number]

/** The account's open positions, filtered by the fields of the request; symbols and addresses in any letter case. */
export const positions: Handler<typeof contract.metrics.positions, ValuedNeeds> = async (ports, input, call) => {
  const { agent, wallet_address, token_symbol, token_address } = input
  const filter = { userId: call.principal.userId, ...(agent === undefined ? {} : { agent }) }
  const matches = (wanted: string | undefined, actual: string) =>
    wanted === undefined || wanted.toLowerCase() === actual.toLowerCase()
  return (await valuedPositions(ports, filter))
    .filter(
      ({ row, token }) =>
        matches(wallet_address, row.walletAddress) &&
        matches(token_address, row.token) &&
        matches(token_symbol, token.symbol),
    )
    .map(present)
}

function present({ row, token, worth }: ValuedPosition): Presented {
  const unitCost = (row.costUsd * 10n ** BigInt(token.decimals)) / row.quantity
  const quantity = formatUnits(row.quantity, token.decimals)
  const profit = worth === null ? null : unrealized(row, worth.valueUsd)
  const number = (usd: bigint | null) => (usd === null ? null : usdNumber(usd))
  const text = (usd: bigint | null) => (usd === null ? null : usdText(usd))
  return {
    token_symbol: token.symbol,
    quantity: Number(quantity),
    realized_pnl_usd: usdNumber(row.realizedPnlUsd),
    quantity_decimal: quantity,
    realized_pnl_usd_decimal: usdText(row.realizedPnlUsd),
    agent: row.agent,
    wallet_address: row.walletAddress,
    chain_id: row.chainId,
    token_address: token.address,
    cost_basis_usd_per_unit: usdNumber(unitCost),
    cost_basis_usd_per_unit_decimal: usdText(unitCost),
    last_price_usd: number(worth?.priceUsd ?? null),
    last_price_usd_decimal: text(worth?.priceUsd ?? null),
    market_value_usd: number(worth?.valueUsd ?? null),
    market_value_usd_decimal: text(worth?.valueUsd ?? null),
    unrealized_pnl_usd: number(profit),
    unrealized_pnl_usd_decimal: text(profit),
    updated_at: row.updatedAt.toISOString(),
  }
}

/** Profit of everything the account sold, closed positions included, less gas. */
export const realizedPnl: Handler<typeof contract.metrics.realizedPnl, 'ledger'> = async (ports, _input, call) => {
  const rows = await ports.ledger.positions({ userId: call.principal.userId })
  const total = rows.reduce((sum, { realizedPnlUsd }) => sum + realizedPnlUsd, 0n)
  return { realized_pnl_usd: usdNumber(total), realized_pnl_usd_decimal: usdText(total) }
}

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

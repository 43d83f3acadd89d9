import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { Token } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { PositionRow } from '../ports/ledger.ts'
import { formatUnits, usdNumber, usdText } from '../values/money.ts'
import { knownToken } from '../values/tokens.ts'

type Booked = NonNullable<OutputOf<typeof contract.trading.watchAccount>['position']>

/** The token of a position; one that left the list since is shown in its smallest unit, without a price. */
export function heldToken(
  { chains }: Pick<Ports, 'chains'>,
  { chainId, token }: Pick<PositionRow, 'chainId' | 'token'>,
): Token {
  const chain = chains.find(chainId)
  const known = chain === null ? null : knownToken(chain, token)
  return known ?? { symbol: token, address: token, decimals: 0, usdFeed: null }
}

/** A position as the books have it. */
export function presentBooked(ports: Pick<Ports, 'chains'>, row: PositionRow): Booked {
  const token = heldToken(ports, row)
  const unitCost = row.quantity === 0n ? 0n : (row.costUsd * 10n ** BigInt(token.decimals)) / row.quantity
  const quantity = formatUnits(row.quantity, token.decimals)
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
    updated_at: row.updatedAt.toISOString(),
  }
}

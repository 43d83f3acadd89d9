import { type Hex, sameAddress } from '../../../domain/ports/chains.ts'
import type { PositionRow, TradeFacts, WalletKey } from '../../../domain/ports/ledger.ts'
import type { PositionEntityRow } from '../entities/books.ts'

/** A trade as the ledger stores it. */
type FillRow = WalletKey & TradeFacts & { executionId: string; agent: string; realizedPnlUsd: bigint; at: Date }

/** The key of a position, without the other fields. */
export function keyOf({ userId, agent, walletAddress, chainId, token }: PositionRow) {
  return { userId, agent, walletAddress, chainId, token }
}

/** True where two positions of one wallet have the same agent and token. The letter case of addresses is ignored. */
export function isSamePosition(left: PositionRow, right: PositionRow): boolean {
  return left.agent === right.agent && sameAddress(left.token, right.token)
}

/** The position of a row. */
export function positionOf(row: PositionEntityRow): PositionRow {
  return {
    userId: Number(row.userId),
    agent: row.agent,
    walletAddress: row.walletAddress as Hex,
    chainId: row.chainId,
    token: row.token as Hex,
    quantity: BigInt(row.quantity),
    costUsd: BigInt(row.costUsd),
    realizedPnlUsd: BigInt(row.realizedPnlUsd),
    updatedAt: row.updatedAt,
  }
}

/** The row of a position. */
export function positionRow(row: PositionRow) {
  const { quantity, costUsd, realizedPnlUsd } = row
  return { ...row, quantity: `${quantity}`, costUsd: `${costUsd}`, realizedPnlUsd: `${realizedPnlUsd}` }
}

/** The row of a trade. */
export function fillRow(fill: FillRow) {
  const { amountIn, amountOut, valueUsd, realizedPnlUsd } = fill
  const wholes = { amountIn: `${amountIn}`, amountOut: `${amountOut}`, valueUsd: `${valueUsd}` }
  return { ...fill, ...wholes, realizedPnlUsd: `${realizedPnlUsd}` }
}

import { statesWithoutNonce } from '../../../domain/ports/moves.ts'
import type { Traded } from '../../../domain/ports/trades.ts'
import type { Tables } from '../connection/tables.ts'
import { ExecutionEntity, type ExecutionRow } from '../entities/trading.ts'

type TradedRow = Pick<ExecutionRow, 'valueUsd' | 'walletAddress' | 'sessionId'>

/**
 * Values of the trades after the moment. Only three columns are read, because an account can have many thousand
 * trades in a day, and it is locked meanwhile. A trade that was mined without effect does not count, like a
 * failed one. Where the time of the reservation is not stored, the last move counts, which is never earlier.
 */
export async function tradedAfter(tables: Tables, userId: number, moment: Date): Promise<TradedRow[]> {
  const recent = { $or: [{ reservedAt: { $gt: moment } }, { reservedAt: null, updatedAt: { $gt: moment } }] }
  const effective = { $or: [{ basis: null }, { amountOut: { $ne: null } }] }
  const where = {
    userId,
    state: { $nin: [...statesWithoutNonce, 'failed', 'rejected'] },
    $and: [recent, effective],
  }
  return await tables.find(ExecutionEntity, where, { fields: ['valueUsd', 'walletAddress', 'sessionId'] })
}

/** The same as sums, of the account, of each session and of each wallet. */
export async function tradedSums(tables: Tables, userId: number, moment: Date): Promise<Traded> {
  const sessions = new Map<string, { usd: bigint; trades: number }>()
  const wallets = new Map<string, bigint>()
  let accountUsd = 0n
  for (const { valueUsd, sessionId, walletAddress } of await tradedAfter(tables, userId, moment)) {
    const usd = BigInt(valueUsd ?? 0)
    accountUsd += usd
    wallets.set(walletAddress, (wallets.get(walletAddress) ?? 0n) + usd)
    if (sessionId == null) continue
    const known = sessions.get(sessionId) ?? { usd: 0n, trades: 0 }
    sessions.set(sessionId, { usd: known.usd + usd, trades: known.trades + 1 })
  }
  return { accountUsd, sessions, wallets }
}

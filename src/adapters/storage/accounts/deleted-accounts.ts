import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sqlite'
import { deletedAccountMs } from '../../../domain/ports/accounts.ts'
import { finalStates } from '../../../domain/ports/moves.ts'
import { appendAudit } from '../audit/audit.ts'
import type { Database } from '../connection/database.ts'
import { AccountEntity, KnownAddressEntity, SessionEntity, WalletEntity } from '../entities/accounts.ts'
import { MarketSubscriptionEntity } from '../entities/market.ts'
import { QuoteEntity } from '../entities/quotes.ts'
import { OutgoingEntity } from '../entities/sending.ts'
import { ExecutionEntity, WalletPolicyEntity } from '../entities/trading.ts'

/**
 * Marks the account as deleted, and returns the generation and the sessions that ended. The row is locked as reservations
 * of trades lock it, so that no trade begins meanwhile.
 */
export async function deleteAccount(
  em: SqlEntityManager,
  userId: number,
  from: string,
  at: Date,
): Promise<{ ended: number; sessions: string[] } | 'trading' | null> {
  const where = { id: userId, passwordHash: from, deletedAt: null }
  const row = await em.findOne(AccountEntity, where, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (row === null) return null
  if (await isTrading(em, userId)) return 'trading'
  const change = { email: `deleted ${userId}`, deletedAt: at, generation: row.generation + 1 }
  await em.nativeUpdate(AccountEntity, { id: userId }, change)
  const sessions = await em.find(SessionEntity, { userId }, { fields: ['id'] })
  await em.nativeDelete(SessionEntity, { userId })
  await em.nativeDelete(MarketSubscriptionEntity, { userId })
  await audit(em, userId, { deleted: true })
  return { ended: row.generation, sessions: sessions.map(({ id }) => id) }
}

async function isTrading(em: SqlEntityManager, userId: number): Promise<boolean> {
  if ((await em.count(ExecutionEntity, { userId, state: { $nin: [...finalStates] } })) > 0) return true
  const wallets = await em.find(WalletEntity, { userId }, { fields: ['addressKey'] })
  const sender = { $in: wallets.map(({ addressKey }) => addressKey) }
  return (await em.count(OutgoingEntity, { sender, settled: false })) > 0
}

/** Erases what a deleted account kept for its restoration: keys, quotes and the password. Its trades and log stay. */
export async function eraseDeleted(database: Database, before: Date, limit: number): Promise<number> {
  const where = { deletedAt: { $lt: before }, passwordHash: { $ne: '' } }
  const rows = await database.fork().find(AccountEntity, where, { fields: ['id'], limit })
  for (const { id } of rows)
    await database.transaction(async (em) => {
      if ((await em.nativeUpdate(AccountEntity, { id, ...where }, { passwordHash: '' })) === 0) return
      const wallets = await em.find(WalletEntity, { userId: id })
      await em.nativeDelete(WalletPolicyEntity, { wallet: { $in: wallets.map(({ addressKey }) => addressKey) } })
      await em.nativeDelete(WalletEntity, { userId: id })
      await em.nativeDelete(KnownAddressEntity, { userId: id })
      await em.nativeDelete(QuoteEntity, { userId: id })
      await audit(em, id, { erased: true, wallets: wallets.map(({ address }) => address) })
    })
  return rows.length
}

/** Gives a deleted account an e-mail again, with its old password. Throws an Error that says why it cannot. */
export async function restoreAccount(database: Database, userId: number, email: string, now: Date): Promise<void> {
  const since = new Date(now.getTime() - deletedAccountMs)
  try {
    await database.transaction(async (em) => {
      const where = { id: userId, deletedAt: { $gte: since }, passwordHash: { $ne: '' } }
      const row = await em.findOne(AccountEntity, where, { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (row === null) throw new Error(`Account ${userId} was not deleted in the last 30 days.`)
      const change = { email: email.toLowerCase(), deletedAt: null, generation: row.generation + 1 }
      await em.nativeUpdate(AccountEntity, { id: userId }, change)
      await audit(em, userId, { restored: true })
    })
  } catch (failure) {
    if (failure instanceof UniqueConstraintViolationException)
      throw new Error('Another account has this e-mail. Give another one.', { cause: failure })
    throw failure
  }
}

async function audit(em: SqlEntityManager, userId: number, facts: Record<string, unknown>): Promise<void> {
  await appendAudit(em, { userId, kind: 'account', subject: `account:${userId}`, facts })
}

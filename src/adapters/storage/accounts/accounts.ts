import { type Account, type Accounts, deletedAccountMs } from '../../../domain/ports/accounts.ts'
import { awaitingStates, finalStates } from '../../../domain/ports/moves.ts'
import { appendAudit } from '../audit/audit.ts'
import type { Database } from '../connection/database.ts'
import { UniqueViolation } from '../connection/statements.ts'
import { queryOf, type Tables } from '../connection/tables.ts'
import { createWatch } from '../connection/watch.ts'
import {
  AccountEntity,
  type AccountRow,
  KnownAddressEntity,
  RevokedTokenEntity,
  SessionEntity,
  WalletEntity,
} from '../entities/accounts.ts'
import { MarketSubscriptionEntity } from '../entities/market.ts'
import { QuoteEntity } from '../entities/quotes.ts'
import { OutgoingEntity } from '../entities/sending.ts'
import { ExecutionEntity, UsedConfirmationEntity, WalletPolicyEntity } from '../entities/trading.ts'
import { sessionDeleted } from './sessions.ts'
import { walletRow } from './wallets.ts'

/** Accounts in the database; the unique index on the e-mail decides between simultaneous registrations. */
export function openAccounts(database: Database, pollMs = 1_000): Accounts {
  const revoked = queryOf<{ one: number }>(database, 'select 1 as one from revoked_token where id = ?')
  const hasPassed = async (id: string) => {
    const [userId, generation] = id.split(':').map(Number)
    const row = await database.tables.findOne(AccountEntity, userId ?? 0)
    return row === null || row.generation > (generation ?? 0)
  }
  const ends = createWatch(database, 'tokens-ended', hasPassed, pollMs)
  const isRevoked = async (tokenId: string) => (await revoked(tokenId)).length > 0
  const revocations = createWatch(database, 'token-revoked', isRevoked, pollMs)

  /** Begins the next generation of an account that meets the condition; null where it does not. */
  async function begin(where: { id: number; passwordHash?: string }, change: { passwordHash?: string }) {
    const next = await database.transaction(async (tables) => {
      const live = { ...where, deletedAt: null }
      const row = await tables.findOne(AccountEntity, live, { lock: 'update' })
      if (row === null) return null
      await tables.update(AccountEntity, live, { ...change, generation: row.generation + 1 })
      return row.generation + 1
    })
    if (next !== null) ends.notify(`${where.id}:${next - 1}`)
    return next
  }

  return {
    async create({ email, passwordHash, wallet, funding, at }) {
      const row = { email: email.toLowerCase(), passwordHash, createdAt: at }
      try {
        const id = await database.transaction(async (tables) => {
          const userId = await tables.insert(AccountEntity, row)
          await tables.insert(WalletEntity, walletRow(userId, wallet(userId), funding, at))
          return userId
        })
        return { id, email: row.email, createdAt: at, generation: 0 }
      } catch (failure) {
        if (failure instanceof UniqueViolation && failure.message.includes('email')) return null
        throw failure
      }
    },
    async findByEmail(email) {
      const row = await database.tables.findOne(AccountEntity, { email: email.toLowerCase(), deletedAt: null })
      return row === null ? null : { ...accountOf(row), passwordHash: row.passwordHash }
    },
    async find(userId) {
      const row = await database.tables.findOne(AccountEntity, { id: userId, deletedAt: null })
      return row === null ? null : accountOf(row)
    },
    async passwordHash(userId) {
      return (await database.tables.findOne(AccountEntity, { id: userId, deletedAt: null }))?.passwordHash ?? null
    },
    changePassword: (userId, from, to) => begin({ id: userId, passwordHash: from }, { passwordHash: to }),
    async delete(userId, from, at) {
      const outcome = await database.transaction(async (tables) => await deleteAccount(tables, userId, from, at))
      if (outcome === null || outcome === 'trading') return outcome
      ends.notify(`${userId}:${outcome.ended}`)
      for (const sessionId of outcome.sessions) database.signals.notify(`${sessionDeleted}:${sessionId}`)
      return 'deleted'
    },
    purge: (before, limit) => eraseDeleted(database, before, limit),
    async endTokens(userId) {
      await begin({ id: userId }, {})
    },
    onTokensEnded: (userId, generation, listener) => ends.listen(`${userId}:${generation}`, listener),
    async revoke({ id, expiresAt }, now) {
      await database.tables.delete(RevokedTokenEntity, { expiresAt: { $lt: now } })
      await database.tables.upsert(RevokedTokenEntity, { id, expiresAt })
      revocations.notify(id)
    },
    isRevoked,
    onRevoked: (tokenId, listener) => revocations.listen(tokenId, listener),
  }
}

function accountOf(row: AccountRow): Account {
  return { id: row.id, email: row.email, createdAt: row.createdAt, generation: row.generation }
}

/**
 * Marks the account as deleted, and returns the generation and the sessions that ended. The row is locked as reservations
 * of trades lock it, so that no trade begins meanwhile.
 */
async function deleteAccount(
  tables: Tables,
  userId: number,
  from: string,
  at: Date,
): Promise<{ ended: number; sessions: string[] } | 'trading' | null> {
  const where = { id: userId, passwordHash: from, deletedAt: null }
  const row = await tables.findOne(AccountEntity, where, { lock: 'update' })
  if (row === null) return null
  if (await isTrading(tables, userId)) return 'trading'
  const change = { email: `deleted ${userId}`, deletedAt: at, generation: row.generation + 1 }
  await tables.update(AccountEntity, { id: userId }, change)
  const sessions = await tables.find(SessionEntity, { userId }, { fields: ['id'] })
  await tables.delete(SessionEntity, { userId })
  await tables.delete(MarketSubscriptionEntity, { userId })
  await auditAccount(tables, userId, { deleted: true })
  return { ended: row.generation, sessions: sessions.map(({ id }) => id) }
}

async function isTrading(tables: Tables, userId: number): Promise<boolean> {
  if ((await tables.count(ExecutionEntity, { userId, state: { $nin: [...finalStates, ...awaitingStates] } })) > 0)
    return true
  const wallets = await tables.find(WalletEntity, { userId }, { fields: ['addressKey'] })
  const sender = { $in: wallets.map(({ addressKey }) => addressKey) }
  return (await tables.count(OutgoingEntity, { sender, settled: false })) > 0
}

/** Erases what a deleted account kept for its restoration: keys, quotes and the password. Its trades and log stay. */
async function eraseDeleted(database: Database, before: Date, limit: number): Promise<number> {
  const where = { deletedAt: { $lt: before }, passwordHash: { $ne: '' } }
  const rows = await database.tables.find(AccountEntity, where, { fields: ['id'], limit })
  for (const { id } of rows)
    await database.transaction(async (tables) => {
      if ((await tables.update(AccountEntity, { id, ...where }, { passwordHash: '' })) === 0) return
      const wallets = await tables.find(WalletEntity, { userId: id })
      await tables.delete(WalletPolicyEntity, { wallet: { $in: wallets.map(({ addressKey }) => addressKey) } })
      await tables.delete(WalletEntity, { userId: id })
      await tables.delete(KnownAddressEntity, { userId: id })
      await tables.delete(QuoteEntity, { userId: id })
      await tables.delete(UsedConfirmationEntity, { userId: id })
      await auditAccount(tables, id, { erased: true, wallets: wallets.map(({ address }) => address) })
    })
  return rows.length
}

/** Gives a deleted account an e-mail again, with its old password. Throws an Error that says why it cannot. */
export async function restoreAccount(database: Database, userId: number, email: string, now: Date): Promise<void> {
  const since = new Date(now.getTime() - deletedAccountMs)
  try {
    await database.transaction(async (tables) => {
      const where = { id: userId, deletedAt: { $gte: since }, passwordHash: { $ne: '' } }
      const row = await tables.findOne(AccountEntity, where, { lock: 'update' })
      if (row === null) throw new Error(`Account ${userId} was not deleted in the last 30 days.`)
      const change = { email: email.toLowerCase(), deletedAt: null, generation: row.generation + 1 }
      await tables.update(AccountEntity, { id: userId }, change)
      await auditAccount(tables, userId, { restored: true })
    })
  } catch (failure) {
    if (failure instanceof UniqueViolation)
      throw new Error('Another account has this e-mail. Give another one.', { cause: failure })
    throw failure
  }
}

async function auditAccount(tables: Tables, userId: number, facts: Record<string, unknown>): Promise<void> {
  await appendAudit(tables, userId, { kind: 'account', subject: `account:${userId}`, facts })
}

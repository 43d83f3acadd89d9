import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core'
import type { Account, Accounts } from '../../../domain/ports/accounts.ts'
import type { Database } from '../connection/database.ts'
import { createWatch } from '../connection/watch.ts'
import { AccountEntity, type AccountRow, RevokedTokenEntity, WalletEntity } from '../entities/accounts.ts'
import { deleteAccount, eraseDeleted } from './deleted-accounts.ts'
import { sessionDeleted } from './sessions.ts'
import { walletRow } from './wallets.ts'

/** Accounts in the database; the unique index on the e-mail decides between simultaneous registrations. */
export function openAccounts(database: Database, pollMs = 1_000): Accounts {
  const revoked = database.hotRead<{ one: number }>(
    'token_is_revoked',
    'select 1 as one from revoked_token where id = ?',
  )
  const hasPassed = async (id: string) => {
    const [userId, generation] = id.split(':').map(Number)
    const row = await database.fork().findOne(AccountEntity, userId ?? 0)
    return row === null || row.generation > (generation ?? 0)
  }
  const ends = createWatch(database, 'tokens-ended', hasPassed, pollMs)
  const isRevoked = async (tokenId: string) => (await revoked(tokenId)).length > 0
  const revocations = createWatch(database, 'token-revoked', isRevoked, pollMs)

  /** Begins the next generation of an account that meets the condition; null where it does not. */
  async function begin(where: { id: number; passwordHash?: string }, change: { passwordHash?: string }) {
    const next = await database.transaction(async (em) => {
      const live = { ...where, deletedAt: null }
      const row = await em.findOne(AccountEntity, live, { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (row === null) return null
      await em.nativeUpdate(AccountEntity, live, { ...change, generation: row.generation + 1 })
      return row.generation + 1
    })
    if (next !== null) ends.notify(`${where.id}:${next - 1}`)
    return next
  }

  return {
    async create({ email, passwordHash, wallet, funding, at }) {
      const row = { email: email.toLowerCase(), passwordHash, createdAt: at }
      try {
        const id = await database.transaction(async (em) => {
          const userId = await em.insert(AccountEntity, row)
          await em.insert(WalletEntity, walletRow(userId, wallet(userId), funding, at))
          return userId
        })
        return { id, email: row.email, createdAt: at, generation: 0 }
      } catch (failure) {
        if (failure instanceof UniqueConstraintViolationException && failure.message.includes('email')) return null
        throw failure
      }
    },
    async findByEmail(email) {
      const row = await database.fork().findOne(AccountEntity, { email: email.toLowerCase(), deletedAt: null })
      return row === null ? null : { ...accountOf(row), passwordHash: row.passwordHash }
    },
    async find(userId) {
      const row = await database.fork().findOne(AccountEntity, { id: userId, deletedAt: null })
      return row === null ? null : accountOf(row)
    },
    async passwordHash(userId) {
      return (await database.fork().findOne(AccountEntity, { id: userId, deletedAt: null }))?.passwordHash ?? null
    },
    changePassword: (userId, from, to) => begin({ id: userId, passwordHash: from }, { passwordHash: to }),
    async delete(userId, from, at) {
      const outcome = await database.transaction(async (em) => await deleteAccount(em, userId, from, at))
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
      await database.fork().nativeDelete(RevokedTokenEntity, { expiresAt: { $lt: now } })
      await database.fork().upsert(RevokedTokenEntity, { id, expiresAt })
      revocations.notify(id)
    },
    isRevoked,
    onRevoked: (tokenId, listener) => revocations.listen(tokenId, listener),
  }
}

function accountOf(row: AccountRow): Account {
  return { id: row.id, email: row.email, createdAt: row.createdAt, generation: row.generation }
}

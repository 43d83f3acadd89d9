import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { Account, Accounts } from '../../../domain/ports/accounts.ts'
import type { Database } from '../connection/database.ts'
import { AccountEntity, type AccountRow, WalletEntity } from '../entities/accounts.ts'
import { walletRow } from './wallets.ts'

/** Accounts in the database; the unique index on the e-mail decides between simultaneous registrations. */
export function openAccounts(database: Database): Accounts {
  return {
    async create({ email, passwordHash, wallet, funding, at }) {
      const row = { email: email.toLowerCase(), passwordHash, createdAt: at }
      try {
        const id = await database.transaction(async (em) => {
          const userId = await em.insert(AccountEntity, row)
          await em.insert(WalletEntity, walletRow(userId, wallet, funding, at))
          return userId
        })
        return { id, email: row.email, createdAt: at }
      } catch (failure) {
        if (failure instanceof UniqueConstraintViolationException && failure.message.includes('email')) return null
        throw failure
      }
    },
    async findByEmail(email) {
      const row = await database.fork().findOne(AccountEntity, { email: email.toLowerCase() })
      return row === null ? null : { ...accountOf(row), passwordHash: row.passwordHash }
    },
    async find(userId) {
      const row = await database.fork().findOne(AccountEntity, userId)
      return row === null ? null : accountOf(row)
    },
    async passwordHash(userId) {
      return (await database.fork().findOne(AccountEntity, userId))?.passwordHash ?? null
    },
  }
}

function accountOf(row: AccountRow): Account {
  return { id: row.id, email: row.email, createdAt: row.createdAt }
}

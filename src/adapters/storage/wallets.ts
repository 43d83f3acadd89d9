import { LockMode } from '@mikro-orm/core'
import type { Hex } from '../../domain/ports/chains.ts'
import type { FundingState, SealedWallet, Wallet, Wallets } from '../../domain/ports/wallets.ts'
import type { Database } from './database.ts'
import { AccountEntity, WalletEntity, type WalletRow } from './entities/accounts.ts'

/** Wallets over the database; the account's row is locked while its wallets are counted. */
export function openWallets(database: Database): Wallets {
  return {
    async create(userId, wallet, funding, at, limit) {
      return await database.transaction(async (em) => {
        await em.findOneOrFail(AccountEntity, userId, { lockMode: LockMode.PESSIMISTIC_WRITE })
        if ((await em.count(WalletEntity, { userId, ref: wallet.ref })) > 0) return 'taken'
        if ((await em.count(WalletEntity, { userId })) >= limit) return null
        const row = walletRow(userId, wallet, funding, at)
        return walletOf({ ...row, id: await em.insert(WalletEntity, row) })
      })
    },
    async list(userId) {
      return (await database.fork().find(WalletEntity, { userId }, { orderBy: { id: 'asc' } })).map(walletOf)
    },
    async find(userId, ref) {
      const row = await database.fork().findOne(WalletEntity, { userId, ref })
      return row === null ? null : walletOf(row)
    },
    async unfunded() {
      const rows = await database.fork().find(WalletEntity, { funding: ['wanted', 'sent'] }, { orderBy: { id: 'asc' } })
      return rows.map(walletOf)
    },
    async setFunding(walletId, state) {
      await database.fork().nativeUpdate(WalletEntity, { id: walletId }, { funding: state })
    },
    async findByAddress(address) {
      const row = await database.fork().findOne(WalletEntity, { addressKey: address.toLowerCase() })
      return row === null ? null : walletOf(row)
    },
    async sealedKey(address) {
      const row = await database.fork().findOne(WalletEntity, { addressKey: address.toLowerCase() })
      return row?.sealedKey ?? null
    },
  }
}

/** A row to insert; the database gives it its id. */
export function walletRow(userId: number, wallet: SealedWallet, funding: FundingState, at: Date) {
  const addressKey = wallet.address.toLowerCase()
  return {
    userId,
    ref: wallet.ref,
    address: wallet.address,
    addressKey,
    sealedKey: wallet.sealedKey,
    funding,
    createdAt: at,
  }
}

function walletOf(row: Pick<WalletRow, 'id' | 'userId' | 'ref' | 'address' | 'funding' | 'createdAt'>): Wallet {
  const { id, userId, ref, address, funding, createdAt } = row
  // Both texts were written by `walletRow` from values of these types.
  return { id, userId, ref, address: address as Hex, funding: funding as FundingState, createdAt }
}

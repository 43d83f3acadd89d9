import type { Hex } from '../../../domain/ports/chains.ts'
import type {
  FundingFailure,
  FundingState,
  RemoteWallet,
  SealedWallet,
  Wallet,
  Wallets,
} from '../../../domain/ports/wallets.ts'
import type { SealedKeys } from '../../wallets/reseal.ts'
import { appendAudit } from '../audit/audit.ts'
import type { Database } from '../connection/database.ts'
import { UniqueViolation } from '../connection/statements.ts'
import type { Tables } from '../connection/tables.ts'
import { WalletEntity, type WalletRow } from '../entities/accounts.ts'
import { lockLiveAccount } from './lock-account.ts'

/** Wallets in the database; the account's row is locked while its wallets are counted. */
export function openWallets(database: Database): Wallets & SealedKeys {
  return {
    async create(userId, wallet, funding, at, limit) {
      const row = walletRow(userId, wallet, funding, at)
      const created = database.transaction(async (tables) => {
        await lockLiveAccount(tables, userId)
        if ((await tables.count(WalletEntity, { userId, ref: wallet.ref })) > 0) return 'taken'
        if ((await tables.count(WalletEntity, { addressKey: row.addressKey })) > 0) return 'held'
        if ((await tables.count(WalletEntity, { userId })) >= limit) return null
        const id = await tables.insert(WalletEntity, row)
        if ('imported' in wallet) await auditWallet(tables, { ...row, id }, 'key', 'imported')
        if (wallet.sealedKey === null) await auditWallet(tables, { ...row, id }, 'grant', 'granted')
        return walletOf({ ...row, id })
      })
      return await created.catch((failure: unknown) => {
        // Another account added the same address at the same time; the unique index decides.
        if (failure instanceof UniqueViolation) return 'held' as const
        throw failure
      })
    },
    async list(userId) {
      return (await database.tables.find(WalletEntity, { userId }, { orderBy: { id: 'asc' } })).map(walletOf)
    },
    async find(userId, ref) {
      const row = await database.tables.findOne(WalletEntity, { userId, ref })
      return row === null ? null : walletOf(row)
    },
    async load(walletId) {
      const row = await database.tables.findOne(WalletEntity, walletId)
      return row === null ? null : walletOf(row)
    },
    async unfunded(at, after, limit) {
      const due = { $or: [{ funding: 'wanted' }, { funding: 'failed', fundingRetryAt: { $lte: at } }] }
      const order = { orderBy: { id: 'asc' }, limit } as const
      return (await database.tables.find(WalletEntity, { id: { $gt: after }, ...due }, order)).map(walletOf)
    },
    async retryFunding({ id, fundingFailure }) {
      const where = { id, funding: 'failed', fundingTries: fundingFailure?.tries ?? 0 }
      return (await database.tables.update(WalletEntity, where, { funding: 'wanted' })) > 0
    },
    async setFunding(walletId, state, failure) {
      const failed = failure === undefined ? {} : failureRow(failure)
      await database.tables.update(WalletEntity, { id: walletId }, { funding: state, ...failed })
    },
    async recordExport(wallet) {
      await database.transaction(async (tables) => await auditWallet(tables, wallet, 'key', 'exported'))
    },
    async findByAddress(address) {
      const row = await database.tables.findOne(WalletEntity, { addressKey: address.toLowerCase() })
      return row === null ? null : walletOf(row)
    },
    async sealedKey(address) {
      const row = await database.tables.findOne(WalletEntity, { addressKey: address.toLowerCase() })
      if (row === null || row.sealedKey == null) return null
      return { userId: Number(row.userId), sealedKey: row.sealedKey }
    },
    async sealedOtherwise(prefix, afterId) {
      // The key of a remote wallet is null, which SQL excludes from `not like` as well.
      const where = { id: { $gt: afterId }, $not: { sealedKey: { $like: `${prefix}%` } } }
      const rows = await database.tables.find(WalletEntity, where, { orderBy: { id: 'asc' }, limit: 500 })
      return rows.map(({ id, userId, address, sealedKey }) => ({ id, userId, address, sealedKey: sealedKey ?? '' }))
    },
    async replaceSealedKey(id, from, to) {
      await database.tables.update(WalletEntity, { id, sealedKey: from }, { sealedKey: to })
    },
  }
}

/** Writes an event of a wallet to the audit log, never its key. */
async function auditWallet(tables: Tables, wallet: Named, kind: 'key' | 'grant', event: string): Promise<void> {
  const { id, userId, ref, address } = wallet
  const facts = { [event]: true, wallet_ref: ref, address }
  await appendAudit(tables, userId, { kind, subject: `wallet:${id}`, facts })
}

type Named = Pick<Wallet, 'id' | 'userId' | 'ref'> & { address: string }

/** A row to insert; the database assigns its id. */
export function walletRow(userId: number, wallet: SealedWallet | RemoteWallet, funding: FundingState, at: Date) {
  const addressKey = wallet.address.toLowerCase()
  return {
    userId,
    ref: wallet.ref,
    address: wallet.address,
    addressKey,
    sealedKey: wallet.sealedKey,
    funding,
    fresh: wallet.sealedKey !== null && !('imported' in wallet),
    createdAt: at,
  }
}

function walletOf(row: Pick<WalletRow, WalletField> & Partial<Pick<WalletRow, FailureField>>): Wallet {
  const { id, userId, ref, sealedKey, fresh, createdAt } = row
  const custody = sealedKey === null ? 'remote_signer' : 'gateway'
  // `walletRow` wrote both texts from values of these types.
  const [address, funding] = [row.address as Hex, row.funding as FundingState]
  return { id, userId, ref, address, custody, funding, fundingFailure: failureOf(row), fresh, createdAt }
}

function failureRow({ tries, mined, why, retryAt }: FundingFailure) {
  return { fundingTries: tries, fundingMined: mined, fundingError: why, fundingRetryAt: retryAt }
}

function failureOf(row: Partial<Pick<WalletRow, FailureField>>): FundingFailure | null {
  const { fundingTries, fundingMined, fundingError, fundingRetryAt } = row
  if (fundingError == null) return null
  return { tries: fundingTries ?? 1, mined: fundingMined ?? 0, why: fundingError, retryAt: fundingRetryAt ?? null }
}

type WalletField = 'id' | 'userId' | 'ref' | 'address' | 'sealedKey' | 'funding' | 'fresh' | 'createdAt'
type FailureField = 'fundingTries' | 'fundingMined' | 'fundingError' | 'fundingRetryAt'

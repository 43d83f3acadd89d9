import type { WalletKey } from '../../../domain/ports/ledger.ts'
import type { Tables } from '../connection/tables.ts'
import { RevisionEntity } from '../entities/books.ts'

/** An account on a chain, to which a sequence of bookings belongs. */
export type Place = Pick<WalletKey, 'userId' | 'chainId'>

/** The key of an account on a chain. */
export function keyOfPlace({ userId, chainId }: Place): string {
  return `${userId} ${chainId}`
}

/** The key of a wallet of an account on a chain. */
export function keyOfWallet({ userId, chainId, walletAddress }: WalletKey): string {
  return `${userId} ${chainId} ${walletAddress.toLowerCase()}`
}

/** Counts a change to the books of a wallet. Call it with the account locked. */
export async function nextRevision(tables: Tables, walletKey: string): Promise<void> {
  const next = 'update book_revision set revision = revision + 1 where place = ?'
  if ((await tables.run(next, walletKey)) === 0) await tables.insert(RevisionEntity, { walletKey, revision: 1 })
}

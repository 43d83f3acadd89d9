import type { Hex } from '../../../domain/ports/chains.ts'
import type { Found, OwnTransfer, Traced, WalletBooks } from '../../../domain/ports/ledger.ts'
import type { Tables } from '../connection/tables.ts'
import { OwnTransferEntity, RevisionEntity } from '../entities/books.ts'
import { keyOfPlace, keyOfWallet, type Place } from './book-keys.ts'

/** The books of an account's wallets on a chain, by address in lower case. */
export async function walletBooks(
  tables: Tables,
  place: Place,
  wallets: readonly Hex[],
): Promise<Map<Hex, WalletBooks>> {
  if (wallets.length === 0) return new Map()
  const walletKey = wallets.map((walletAddress) => keyOfWallet({ ...place, walletAddress }))
  const rows = await tables.find(RevisionEntity, { walletKey })
  return new Map(
    rows.map(({ walletKey, revision, tracedBlock, tracedNonce }) => {
      const traced =
        tracedBlock == null || tracedNonce == null ? null : { block: BigInt(tracedBlock), nonce: tracedNonce }
      return [walletKey.slice(walletKey.lastIndexOf(' ') + 1) as Hex, { revision, traced }]
    }),
  )
}

/** Booked transactions between own wallets that are not marked as final. */
export async function ownTransfers(tables: Tables, place: Place): Promise<OwnTransfer[]> {
  const rows = await tables.find(OwnTransferEntity, { place: keyOfPlace(place) }, { orderBy: { block: 'asc' } })
  return rows.map((row) => ({
    reference: row.reference,
    walletAddress: row.walletAddress as Hex,
    block: BigInt(row.block),
    blockHash: row.blockHash as Hex,
    before: { block: BigInt(row.tracedBlock), nonce: row.tracedNonce },
  }))
}

/** True where the wallets were traced as far, and have the revisions, that the caller read. */
export async function isAsRead(tables: Tables, { userId, chainId, traced, revisions }: Found): Promise<boolean> {
  const present = await walletBooks(tables, { userId, chainId }, [...traced.keys(), ...revisions.keys()])
  const isUntouched = [...revisions].every(([wallet, revision]) => (present.get(wallet)?.revision ?? 0) === revision)
  return isUntouched && [...traced].every(([wallet, { before }]) => isSame(present.get(wallet)?.traced ?? null, before))
}

/** Stores how far the wallets were traced, and which bookings may still leave the chain. */
export async function noteFound(tables: Tables, { userId, chainId, traced, transfers }: Found): Promise<void> {
  for (const [walletAddress, { before, after }] of traced)
    if (!isSame(before, after)) await trace(tables, keyOfWallet({ userId, chainId, walletAddress }), after)
  const place = keyOfPlace({ userId, chainId })
  for (const { block, before, ...transfer } of transfers) {
    const fields = { block: Number(block), tracedBlock: Number(before.block), tracedNonce: before.nonce }
    await tables.insert(OwnTransferEntity, { ...transfer, place, ...fields })
  }
}

/** Forgets a transaction that left the chain, so that its wallet is traced again from before it. */
export async function forget(tables: Tables, place: Place, { reference, walletAddress, before }: OwnTransfer) {
  await tables.delete(OwnTransferEntity, { reference })
  const present = [...(await walletBooks(tables, place, [walletAddress])).values()][0]?.traced
  const isEarlier = present != null && present.block <= before.block
  if (!isEarlier) await trace(tables, keyOfWallet({ ...place, walletAddress }), before)
}

/** Forgets the transactions up to a final block, which stay booked. */
export async function settle(tables: Tables, place: Place, finalized: bigint): Promise<void> {
  await tables.delete(OwnTransferEntity, { place: keyOfPlace(place), block: { $lte: Number(finalized) } })
}

async function trace(tables: Tables, walletKey: string, { block, nonce }: Traced): Promise<void> {
  const change = { tracedBlock: Number(block), tracedNonce: nonce }
  if ((await tables.update(RevisionEntity, { walletKey }, change)) === 0)
    await tables.insert(RevisionEntity, { walletKey, revision: 0, ...change })
}

function isSame(left: Traced | null, right: Traced | null): boolean {
  return left?.block === right?.block && left?.nonce === right?.nonce
}

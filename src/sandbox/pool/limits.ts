import type { Hex } from 'viem'
import { RpcError } from '../kit/rpc-error.ts'
import { type PendingPool, type PendingTransaction, type Signed, sizeOf } from './pending-pool.ts'

type Size = { transactions: number; bytes: number }

/** The whole pool is sent to each new engine and written to each log segment, so its size is bounded. */
const poolLimit: Size = { transactions: 2_000, bytes: 32 * 1_048_576 }

/** Only system accounts may use the room beyond `poolLimit`, so that other senders cannot lock them out. */
const systemLimit: Size = { transactions: 2_500, bytes: 40 * 1_048_576 }

/** A transaction after a nonce gap costs its sender nothing and may never be mined: such ones get a quarter. */
const gappedLimit: Size = { transactions: 500, bytes: 8 * 1_048_576 }

/** From this size on each account may have only a few transactions, so that nobody fills the second half alone. */
const crowdedFrom: Size = { transactions: 1_000, bytes: 16 * 1_048_576 }

/** Transactions of one account, as in geth: after a nonce gap, and in all once the pool is crowded. */
const accountLimit = { gapped: 64, crowded: 16 }

/** A transaction that needs room, and the next nonce of its sender on the chain. */
type Arrival = { transaction: Signed; next: number; systemAccounts: ReadonlySet<Hex> }

/**
 * Makes room for a transaction. Returns the transactions that the caller must remove for it: those after a nonce gap,
 * the youngest account first. Throws RpcError with geth's message where there is no room.
 */
export function makeRoom(pool: PendingPool, { transaction, next, systemAccounts }: Arrival): PendingTransaction[] {
  const { from, nonce } = transaction
  const isSystem = systemAccounts.has(from)
  const own = pool.of(from)
  const limit = isSystem ? systemLimit : poolLimit
  const all = pool.all()
  const used = measure(all)
  if (own.has(nonce)) {
    if (used.bytes >= limit.bytes) throw poolFull()
    return []
  }
  const gapped = nonce > firstMissingNonce(own, next)
  if (!isSystem) {
    if (gapped && [...own.values()].filter(isGapped).length >= accountLimit.gapped) throw accountFull()
    if (own.size >= accountLimit.crowded && !isBelow(used, crowdedFrom)) throw accountFull()
    if (gapped && !isBelow(measure(all.filter(isGapped)), gappedLimit)) throw poolFull()
  }
  if (isBelow(used, limit)) return []
  if (gapped) throw poolFull()
  const evictable = all.filter((each) => isGapped(each) && each.logged === 'yes' && !systemAccounts.has(each.from))
  return evict(evictable, used, limit)
}

/** The first nonce from `next` on for which an account has no pending transaction. */
export function firstMissingNonce(own: ReadonlyMap<number, unknown>, next: number): number {
  let nonce = next
  while (own.has(nonce)) nonce += 1
  return nonce
}

/** Evicts whole accounts, since the engine can remove nothing less. */
function evict(evictable: readonly PendingTransaction[], used: Size, limit: Size): PendingTransaction[] {
  const accounts = [...new Set(evictable.map(({ from }) => from).toReversed())]
  const evicted: PendingTransaction[] = []
  let rest = used
  for (const account of accounts) {
    const group = evictable.filter(({ from }) => from === account)
    const size = measure(group)
    evicted.push(...group)
    rest = { transactions: rest.transactions - size.transactions, bytes: rest.bytes - size.bytes }
    if (isBelow(rest, limit)) return evicted
  }
  throw poolFull()
}

function measure(pending: readonly PendingTransaction[]): Size {
  return { transactions: pending.length, bytes: pending.reduce((sum, each) => sum + sizeOf(each), 0) }
}

function isBelow(size: Size, limit: Size): boolean {
  return size.transactions < limit.transactions && size.bytes < limit.bytes
}

function isGapped({ gapped }: PendingTransaction): boolean {
  return gapped
}

function poolFull(): RpcError {
  return new RpcError(-32003, 'txpool is full')
}

function accountFull(): RpcError {
  return new RpcError(-32003, 'account limit exceeded')
}

import type { Hex } from 'viem'
import type { Engine } from '../engine/engine.ts'
import type { Emit } from '../kit/events.ts'
import { isEngineUnavailable, RpcError } from '../kit/rpc-error.ts'
import { type PendingPool, type PendingTransaction, sizeOf } from './pending-pool.ts'

/** How often a transaction that the engine dropped is resubmitted. The pause doubles each time: 255 blocks in all. */
const maxAttempts = 8

/** The most that is resubmitted before one block. The block waits for it, and the engine will drop most of it again. */
export const budget = { transactions: 64, bytes: 1_048_576 }

/** For so many blocks an accepted transaction may wait for an earlier nonce: half an hour of two-second blocks. */
export const timeoutBlocks = 900

/**
 * Sends an accepted transaction to an engine that may have dropped it. Returns null when the engine has it, else the
 * reason of its refusal.
 */
export async function resubmit(engine: Engine, raw: Hex): Promise<string | null> {
  try {
    await engine.call('eth_sendRawTransaction', [raw])
    return null
  } catch (error) {
    if (!(error instanceof RpcError) || isEngineUnavailable(error)) throw error
    return error.message.includes('already') ? null : error.message
  }
}

/**
 * Brings the engine's pool in line with the chain's right before a block. Transactions that the engine dropped are
 * resubmitted, since they were accepted; transactions without hope are removed from both pools and returned. The
 * engine's pool is read once, whatever its size.
 */
export async function syncPool(
  engine: Engine,
  pool: PendingPool,
  head: number,
  emit: Emit,
): Promise<PendingTransaction[]> {
  if (pool.size() === 0) return []
  const dropped: PendingTransaction[] = []
  const drop = (transaction: PendingTransaction, reason: string) => {
    pool.remove(transaction.hash)
    dropped.push(transaction)
    emit({ type: 'transaction-dropped', hash: transaction.hash, reason })
  }
  const statusOf = await readPoolStatus(engine)
  const missing: PendingTransaction[] = []
  const timedOut = new Set<Hex>()
  for (const transaction of pool.all()) {
    const status = statusOf(transaction)
    if (!status) {
      missing.push(transaction)
      continue
    }
    transaction.gapped = status === 'queued'
    if (transaction.gapped && head - transaction.since >= timeoutBlocks) {
      drop(transaction, `waited ${timeoutBlocks} blocks for an earlier nonce`)
      timedOut.add(transaction.from)
    }
  }
  await removeAccounts(engine, timedOut)
  for (const transaction of missing) {
    if (transaction.attempts >= maxAttempts && head >= transaction.nextAttempt)
      drop(transaction, 'could not be executed')
  }
  // The engine removes whole accounts only, so the other transactions of those accounts must be sent again.
  const removedToo = pool.all().filter((each) => timedOut.has(each.from) && statusOf(each))
  const due = missing.filter(({ hash, nextAttempt }) => pool.get(hash) && head >= nextAttempt)
  for (const transaction of withinBudget([...removedToo, ...due])) {
    const reason = await resubmit(engine, transaction.raw)
    if (reason?.includes('nonce too low')) drop(transaction, reason)
    if (statusOf(transaction)) continue
    transaction.nextAttempt = head + 2 ** transaction.attempts
    transaction.attempts += 1
  }
  return dropped
}

/** Transactions with the fewest attempts come first, so that hopeless ones do not delay others. */
function withinBudget(lost: readonly PendingTransaction[]): PendingTransaction[] {
  let bytesLeft = budget.bytes
  const first = lost.toSorted((a, b) => a.attempts - b.attempts).slice(0, budget.transactions)
  return first.filter((transaction) => {
    bytesLeft -= sizeOf(transaction)
    return bytesLeft >= 0
  })
}

/** Replaces what the engine's pool has of these accounts by what the chain's pool has. */
export async function resubmitAccounts(engine: Engine, pool: PendingPool, accounts: ReadonlySet<Hex>): Promise<void> {
  if (accounts.size === 0) return
  await removeAccounts(engine, accounts)
  for (const { from, raw } of pool.all()) if (accounts.has(from)) await resubmit(engine, raw)
}

/** Removes all transactions of these accounts from the engine's pool. It removes a single one only if that is minable. */
export async function removeAccounts(engine: Engine, accounts: ReadonlySet<Hex>): Promise<void> {
  for (const address of accounts) await engine.call('anvil_removePoolTransactions', [address])
}

/** As the engine calls them: `pending` can be mined now, `queued` waits for an earlier nonce. */
type PoolStatus = 'pending' | 'queued'

/** Reads the engine's pool. The returned function gives the status of a transaction, undefined where it is missing. */
export async function readPoolStatus(
  engine: Engine,
): Promise<(transaction: PendingTransaction) => PoolStatus | undefined> {
  type Accounts = Record<string, Record<string, string>>
  const { pending, queued } = (await engine.call('txpool_inspect')) as Record<PoolStatus, Accounts>
  return ({ from, nonce }) => {
    if (pending[from]?.[nonce] !== undefined) return 'pending'
    return queued[from]?.[nonce] === undefined ? undefined : 'queued'
  }
}

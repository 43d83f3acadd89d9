import type { Hex } from 'viem'
import type { Engine } from '../engine/engine.ts'
import type { Emit } from '../kit/events.ts'
import { RpcError } from '../kit/rpc-error.ts'
import type { LogRecord } from '../log/records.ts'
import { firstMissingNonce, makeRoom } from './limits.ts'
import { parseSigned } from './parse-signed.ts'
import {
  dropRecord,
  isLogged,
  type PendingPool,
  type PendingTransaction,
  type Signed,
  transactionRecord,
} from './pending-pool.ts'
import { resubmitAccounts } from './resubmit.ts'

/**
 * Wraps `submit` so that a transaction sent several times at once is submitted once. The later callers wait for the
 * first: they get `already known` once it is accepted, and its error where it is not.
 */
export function onceAtATime(submit: (transaction: Signed) => Promise<void>) {
  const running = new Map<Hex, Promise<void>>()
  return async (transaction: Signed): Promise<void> => {
    const { hash } = transaction
    const first = running.get(hash)
    if (first) {
      await first
      throw alreadyKnown()
    }
    const submitted = submit(transaction)
    running.set(hash, submitted)
    try {
      await submitted
    } finally {
      running.delete(hash)
    }
  }
}

type AdmitContext = { engine: Engine; pool: PendingPool; head: number; systemAccounts: ReadonlySet<Hex> }

/** Adds a transaction to the engine's pool and to the chain's. Throws RpcError where either refuses it. */
export async function admit(context: AdmitContext, transaction: Signed): Promise<PendingTransaction> {
  const { engine, pool, head, systemAccounts } = context
  const { from, hash } = transaction
  const existing = pool.get(hash)
  if (existing && isLogged(existing)) throw alreadyKnown()
  // The engine still has the failed transaction and would refuse it as known; one that it replaces was not accepted.
  if (existing || pool.of(from).get(transaction.nonce)?.logged === 'failed') await withdrawFailed(engine, pool)
  const next = Number(await engine.call('eth_getTransactionCount', [from, 'latest']))
  demandRaise(pool.of(from).get(transaction.nonce), transaction)
  const evicted = makeRoom(pool, { transaction, next, systemAccounts })
  await demandFunds(engine, pool, transaction)
  await engine.call('eth_sendRawTransaction', [transaction.raw])
  for (const each of evicted) pool.remove(each.hash)
  const admitted = pool.add(transaction, head)
  admitted.evicted = evicted
  const own = pool.of(from)
  const missing = firstMissingNonce(own, next)
  for (const each of own.values()) each.gapped = each.nonce > missing
  await resubmitAccounts(engine, pool, new Set(evicted.map((each) => each.from)))
  return admitted
}

/** A transaction replaces one with the same nonce where it raises both fees by at least a tenth, as in geth. */
function demandRaise(replaced: Signed | undefined, transaction: Signed): void {
  if (replaced === undefined) return
  const [before, now] = [feesOf(replaced), feesOf(transaction)]
  const [cap, tip] = [raised(before.cap), raised(before.tip)]
  if (now.cap >= cap && now.tip >= tip) return
  const figures = `maxFeePerGas ${now.cap}, maxPriorityFeePerGas ${now.tip}, needed ${cap} and ${tip}`
  throw new RpcError(-32003, `replacement transaction underpriced: ${figures}`)
}

function raised(fee: bigint): bigint {
  const tenth = (fee * 110n) / 100n
  return tenth > fee ? tenth : fee + 1n
}

/** The most that a transaction pays for gas, and of that for its block's producer, in wei. */
function feesOf({ raw }: Signed): { cap: bigint; tip: bigint } {
  const { gasPrice, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseSigned(raw).fields()
  return { cap: gasPrice ?? maxFeePerGas, tip: gasPrice ?? maxPriorityFeePerGas }
}

/** The log records that accept a transaction and drop the ones that it evicts or replaces. */
export function acceptanceRecords(accepted: PendingTransaction): LogRecord[] {
  return [transactionRecord(accepted), ...[...evictedFor(accepted), ...replacedBy(accepted)].map(dropRecord)]
}

/** Reports the transactions that an accepted one evicts or replaces, and forgets them: they cannot come back. */
export function reportDropped(accepted: PendingTransaction, emit: Emit): void {
  const report = (dropped: readonly PendingTransaction[], reason: string) => {
    for (const { hash } of dropped) emit({ type: 'transaction-dropped', hash, reason })
  }
  report(evictedFor(accepted), `the pool is full, and ${accepted.hash} can be executed`)
  report(replacedBy(accepted), `replaced by ${accepted.hash}`)
  accepted.evicted = []
  accepted.replaces = undefined
}

/** The transaction that this one replaces, unless it is the same one sent again. */
function replacedBy({ hash, replaces }: PendingTransaction): PendingTransaction[] {
  return replaces && replaces.hash !== hash ? [replaces] : []
}

/** The transactions that this one evicted, and those evicted by unlogged transactions that it replaces. */
function evictedFor({ evicted, replaces }: PendingTransaction): readonly PendingTransaction[] {
  return replaces && !isLogged(replaces) ? [...evicted, ...evictedFor(replaces)] : evicted
}

/**
 * The engine accepts more than a sender can pay, and each block drops what the balance no longer covers. All pending
 * transactions of an account are checked against one balance, so that nobody fills the pool with unpayable ones.
 */
async function demandFunds(engine: Engine, pool: PendingPool, { from, nonce, cost }: Signed): Promise<void> {
  const own = pool.of(from)
  if (own.size === 0) return
  const queued = [...own.values()].reduce((sum, each) => sum + each.cost, 0n)
  const balance = BigInt(String(await engine.call('eth_getBalance', [from, 'latest'])))
  const replaced = own.get(nonce)
  const more = cost - (replaced?.cost ?? 0n)
  if (queued + more <= balance) return
  const overshot = queued + more - balance
  const what = replaced ? `tx bumped ${more}` : `tx cost ${cost}`
  throw insufficientFunds(`balance ${balance}, queued cost ${queued}, ${what}, overshot ${overshot}`)
}

/** The error that geth returns to a sender that cannot pay. */
export function insufficientFunds(figures: string): RpcError {
  return new RpcError(-32003, `insufficient funds for gas * price + value: ${figures}`)
}

/**
 * Removes from both pools the transactions whose write to the log failed: they were not accepted. The accepted
 * transactions that they replaced or evicted become pending again.
 */
export async function withdrawFailed(engine: Engine, pool: PendingPool): Promise<void> {
  const failed = pool.all().filter(({ logged }) => logged === 'failed')
  const evicted = failed.flatMap(evictedFor)
  for (const { hash, replaces } of failed) {
    pool.remove(hash)
    let accepted = replaces
    while (accepted?.logged === 'failed') accepted = accepted.replaces
    if (accepted) restore(pool, accepted)
  }
  for (const each of evicted) if (!pool.of(each.from).has(each.nonce)) restore(pool, each)
  await resubmitAccounts(engine, pool, new Set([...failed, ...evicted].map(({ from }) => from)))
}

function restore(pool: PendingPool, transaction: PendingTransaction): void {
  const { logged, gapped } = transaction
  Object.assign(pool.add(transaction, transaction.since), { logged, gapped })
}

function alreadyKnown(): RpcError {
  return new RpcError(-32003, 'already known')
}

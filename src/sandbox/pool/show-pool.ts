import { setImmediate as nextTurn } from 'node:timers/promises'
import { getAddress, type Hex } from 'viem'
import { quantityOf } from '../../kit/hex.ts'
import { RpcError } from '../kit/rpc-error.ts'
import { firstMissingNonce } from './limits.ts'
import { parseSigned } from './parse-signed.ts'
import { type PendingTransaction, type Signed, sizeOf } from './pending-pool.ts'
import { waitingTransaction } from './wire-transaction.ts'

/** What waits for a block, of each account by nonce: what the next block may have, and what waits for an earlier nonce. */
export type PartedPool = Record<'pending' | 'queued', readonly PendingTransaction[]>

/** Most bytes of the transactions that are shown whole at once, as they were signed. */
const mostBytes = 4 * 1_048_576
/** The event loop gets a turn after so many transactions. */
const transactionsPerTurn = 25

/** Parts the transactions of a pool. `nextNonce` is that of an account in the block which the pool follows. */
export async function partedPool(
  waiting: readonly PendingTransaction[],
  nextNonce: (account: Hex) => Promise<number>,
): Promise<PartedPool> {
  const accounts = [...Map.groupBy(waiting, ({ from }) => from)]
  const nonces = await Promise.all(accounts.map(([account]) => nextNonce(account)))
  const parts = accounts.map(([, all], index) => {
    const next = nonces[index] ?? 0
    const own = all.filter(({ nonce }) => nonce >= next).toSorted((one, other) => one.nonce - other.nonce)
    const missing = firstMissingNonce(new Map(own.map((each) => [each.nonce, each])), next)
    return Object.groupBy(own, ({ nonce }) => (nonce < missing ? 'pending' : 'queued'))
  })
  return {
    pending: parts.flatMap(({ pending = [] }) => pending),
    queued: parts.flatMap(({ queued = [] }) => queued),
  }
}

type Part = PartedPool['pending']

/** The result of each method that shows the pool, in the form of go-ethereum. Throws RpcError where it is too large. */
const showing: Readonly<Record<string, (pool: PartedPool) => Promise<unknown>>> = {
  txpool_content: (pool) => whole(pool, (part) => byAccount(part, waitingTransaction)),
  txpool_contentFrom: (pool) => whole(pool, (part) => byNonce(part, waitingTransaction)),
  txpool_inspect: (pool) => both(pool, (part) => byAccount(part, lineOf)),
  txpool_status: (pool) => both(pool, async (part) => quantityOf(part.length)),
}

/** Shows a pool as a method does; undefined for a method that shows none. */
export function poolShower(method: string): ((pool: PartedPool) => Promise<unknown>) | undefined {
  return Object.hasOwn(showing, method) ? showing[method] : undefined
}

async function both<T>({ pending, queued }: PartedPool, show: (part: Part) => Promise<T>) {
  return { pending: await show(pending), queued: await show(queued) }
}

/** Shows transactions with all their fields, unless they are too large together. */
async function whole<T>(pool: PartedPool, show: (part: Part) => Promise<T>) {
  const bytes = [...pool.pending, ...pool.queued].reduce((sum, each) => sum + sizeOf(each), 0)
  if (bytes <= mostBytes) return await both(pool, show)
  const message = `response size: ${bytes} bytes of transactions wait, and at most ${mostBytes} are shown`
  throw new RpcError(-32005, `${message}; use txpool_contentFrom for one account, or txpool_inspect`)
}

async function byAccount<T>(part: Part, show: (transaction: Signed) => T): Promise<Record<string, Record<string, T>>> {
  const shown: Record<string, Record<string, T>> = {}
  await inTurns(part, (each) => {
    const account = getAddress(each.from)
    shown[account] ??= {}
    shown[account][each.nonce] = show(each)
  })
  return shown
}

async function byNonce<T>(part: Part, show: (transaction: Signed) => T): Promise<Record<string, T>> {
  const shown: Record<string, T> = {}
  await inTurns(part, (each) => {
    shown[each.nonce] = show(each)
  })
  return shown
}

async function inTurns(part: Part, work: (transaction: Signed) => void): Promise<void> {
  for (const [at, each] of part.entries()) {
    if (at % transactionsPerTurn === transactionsPerTurn - 1) await nextTurn()
    work(each)
  }
}

/** Stored, because a text is short and reading a transaction takes time. */
const lines = new WeakMap<Signed, string>()

/** The text that go-ethereum shows of a transaction. */
function lineOf(transaction: Signed): string {
  const known = lines.get(transaction)
  if (known !== undefined) return known
  const { to, value = 0n, gas = 0n, gasPrice, maxFeePerGas = 0n } = parseSigned(transaction.raw).fields()
  const recipient = to ? getAddress(to) : 'contract creation'
  const line = `${recipient}: ${value} wei + ${gas} gas × ${gasPrice ?? maxFeePerGas} wei`
  lines.set(transaction, line)
  return line
}

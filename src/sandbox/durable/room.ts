import type { Hex } from 'viem'
import { RpcError } from '../kit/rpc-error.ts'
import { bytesOf, type Signed, type Waiting, type WaitingPool } from './waiting.ts'

type Size = { transactions: number; bytes: number }

/** All that waits is offered to a fresh engine, and is in one file of the log. */
const most: Size = { transactions: 2_000, bytes: 32 * 1_048_576 }

/** What only the accounts of the house may fill beyond that: no crowd keeps them out. */
const mostOfHouse: Size = { transactions: 2_500, bytes: 40 * 1_048_576 }

/** What waits for an earlier nonce costs its sender nothing, and may never be mined: it gets a quarter. */
const mostGapped: Size = { transactions: 500, bytes: 8 * 1_048_576 }

/** From here on an account may have few only, so that nobody fills the last half alone. */
const crowd: Size = { transactions: 1_000, bytes: 16 * 1_048_576 }

/** As in geth: what waits for an earlier nonce is bounded for each account, and all of it once many wait. */
const mostOfOne = { ahead: 64, crowded: 16 }

/** A transaction that asks for room, and the next nonce of its sender on the chain. */
export type Arrival = { transaction: Signed; next: number; house: ReadonlySet<Hex> }

/**
 * Finds room for a transaction. Answers what must go for it: what waits for an earlier nonce, the youngest account of
 * such first. Throws the refusal where there is no room, as geth puts it.
 */
export function findRoom(pool: WaitingPool, { transaction, next, house }: Arrival): Waiting[] {
  const { from, nonce } = transaction
  const ours = house.has(from)
  const own = pool.of(from)
  const limit = ours ? mostOfHouse : most
  const all = pool.all()
  const taken = measure(all)
  if (own.has(nonce)) {
    if (taken.bytes >= limit.bytes) throw poolFull()
    return []
  }
  const gapped = nonce > endOfRun(own, next)
  if (!ours) {
    if (gapped && [...own.values()].filter(isGapped).length >= mostOfOne.ahead) throw accountFull()
    if (own.size >= mostOfOne.crowded && !isBelow(taken, crowd)) throw accountFull()
    if (gapped && !isBelow(measure(all.filter(isGapped)), mostGapped)) throw poolFull()
  }
  if (isBelow(taken, limit)) return []
  if (gapped) throw poolFull()
  const yielding = all.filter((each) => isGapped(each) && each.logged === 'yes' && !house.has(each.from))
  return pushOut(yielding, taken, limit)
}

/** The first nonce from the next one on that an account has nothing for. */
export function endOfRun(own: ReadonlyMap<number, unknown>, next: number): number {
  let end = next
  while (own.has(end)) end += 1
  return end
}

/** Whole accounts go, since the engine lets go of nothing less. */
function pushOut(yielding: readonly Waiting[], taken: Size, limit: Size): Waiting[] {
  const accounts = [...new Set(yielding.map(({ from }) => from).toReversed())]
  const gone: Waiting[] = []
  let left = taken
  for (const account of accounts) {
    const group = yielding.filter(({ from }) => from === account)
    const size = measure(group)
    gone.push(...group)
    left = { transactions: left.transactions - size.transactions, bytes: left.bytes - size.bytes }
    if (isBelow(left, limit)) return gone
  }
  throw poolFull()
}

function measure(waiting: readonly Waiting[]): Size {
  return { transactions: waiting.length, bytes: waiting.reduce((sum, each) => sum + bytesOf(each), 0) }
}

function isBelow(size: Size, limit: Size): boolean {
  return size.transactions < limit.transactions && size.bytes < limit.bytes
}

function isGapped({ gapped }: Waiting): boolean {
  return gapped
}

function poolFull(): RpcError {
  return new RpcError(-32003, 'txpool is full')
}

function accountFull(): RpcError {
  return new RpcError(-32003, 'account limit exceeded')
}

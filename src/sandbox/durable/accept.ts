import type { Hex } from 'viem'
import type { Engine } from '../engine/engine.ts'
import type { Emit } from '../kit/events.ts'
import { RpcError } from '../kit/rpc-error.ts'
import { offerAnew } from './offer.ts'
import type { LogRecord } from './records.ts'
import { endOfRun, findRoom } from './room.ts'
import { dropRecordOf, isLogged, recordOf, type Signed, type Waiting, type WaitingPool } from './waiting.ts'

/**
 * Makes the door by which a transaction goes in once, however often it is sent at a time. It is known already only when
 * it is accepted: whoever sends it again hears that no sooner, and where it is not accepted why.
 */
export function onceAtATime(submit: (transaction: Signed) => Promise<void>) {
  const underWay = new Map<Hex, Promise<void>>()
  return async (transaction: Signed): Promise<void> => {
    const { hash } = transaction
    const first = underWay.get(hash)
    if (first) {
      await first
      throw knownAlready()
    }
    const submitted = submit(transaction)
    underWay.set(hash, submitted)
    try {
      await submitted
    } finally {
      underWay.delete(hash)
    }
  }
}

/** What takes a transaction in. Nothing keeps the accounts of the house out. */
type Doors = { engine: Engine; pool: WaitingPool; head: number; house: ReadonlySet<Hex> | undefined }

/** Takes a transaction into the engine's pool and that of the chain. Throws the refusal of either. */
export async function admit({ engine, pool, head, house = new Set() }: Doors, transaction: Signed): Promise<Waiting> {
  const { from, hash } = transaction
  const before = pool.get(hash)
  if (before && isLogged(before)) throw knownAlready()
  // The engine has it still, and would call it known.
  if (before) await withdrawFailed(engine, pool)
  const next = Number(await engine.call('eth_getTransactionCount', [from, 'latest']))
  const pushedOut = findRoom(pool, { transaction, next, house })
  await demandFunds(engine, pool, transaction)
  await engine.call('eth_sendRawTransaction', [transaction.raw])
  for (const gone of pushedOut) pool.remove(gone.hash)
  const waiting = pool.add(transaction, head)
  waiting.pushedOut = pushedOut
  const own = pool.of(from)
  const end = endOfRun(own, next)
  for (const each of own.values()) each.gapped = each.nonce > end
  await offerAnew(engine, pool, new Set(pushedOut.map((gone) => gone.from)))
  return waiting
}

/** The lines of the block log by which a transaction is accepted: with it go those that wait no longer for its sake. */
export function recordsOf(waiting: Waiting): LogRecord[] {
  return [recordOf(waiting), ...[...madeRoomFor(waiting), ...replacedBy(waiting)].map(dropRecordOf)]
}

/** Tells of what a transaction that the log has made go. There is no way back for them. */
export function settle(waiting: Waiting, emit: Emit): void {
  const tell = (gone: readonly Waiting[], reason: string) => {
    for (const { hash } of gone) emit({ type: 'transaction-dropped', hash, reason })
  }
  tell(madeRoomFor(waiting), `the pool is full, and ${waiting.hash} can be executed`)
  tell(replacedBy(waiting), `replaced by ${waiting.hash}`)
  waiting.pushedOut = []
  waiting.insteadOf = undefined
}

/** What a transaction took the place of, which is not itself once more. */
function replacedBy({ hash, insteadOf }: Waiting): Waiting[] {
  return insteadOf && insteadOf.hash !== hash ? [insteadOf] : []
}

/** What a transaction pushed out, and what those did whose place it took before the log had them. */
function madeRoomFor({ pushedOut, insteadOf }: Waiting): readonly Waiting[] {
  return insteadOf && !isLogged(insteadOf) ? [...pushedOut, ...madeRoomFor(insteadOf)] : pushedOut
}

/**
 * The engine takes more than a sender can pay, and each block drops what its balance no longer covers. One balance pays
 * for all that waits of an account, so that nobody fills the pool with what can never be mined.
 */
async function demandFunds(engine: Engine, pool: WaitingPool, { from, nonce, cost }: Signed): Promise<void> {
  const own = pool.of(from)
  if (own.size === 0) return
  const queued = [...own.values()].reduce((sum, each) => sum + each.cost, 0n)
  const balance = BigInt(String(await engine.call('eth_getBalance', [from, 'latest'])))
  const before = own.get(nonce)
  const more = cost - (before?.cost ?? 0n)
  if (queued + more <= balance) return
  const overshot = queued + more - balance
  const what = before ? `tx bumped ${more}` : `tx cost ${cost}`
  throw insufficientFunds(`balance ${balance}, queued cost ${queued}, ${what}, overshot ${overshot}`)
}

/** What geth says to a sender that cannot pay. */
export function insufficientFunds(figures: string): RpcError {
  return new RpcError(-32003, `insufficient funds for gas * price + value: ${figures}`)
}

/**
 * Takes back out of both pools what could not be written to the log, and so was not accepted. What was accepted before
 * it with the same nonce waits again, as does what had to go for its room.
 */
export async function withdrawFailed(engine: Engine, pool: WaitingPool): Promise<void> {
  const failed = pool.all().filter(({ logged }) => logged === 'failed')
  const pushedOut = failed.flatMap(madeRoomFor)
  for (const { hash, insteadOf } of failed) {
    pool.remove(hash)
    let before = insteadOf
    while (before?.logged === 'failed') before = before.insteadOf
    if (before) putBack(pool, before)
  }
  for (const each of pushedOut) if (!pool.of(each.from).has(each.nonce)) putBack(pool, each)
  await offerAnew(engine, pool, new Set([...failed, ...pushedOut].map(({ from }) => from)))
}

function putBack(pool: WaitingPool, before: Waiting): void {
  const { logged, gapped } = before
  Object.assign(pool.add(before, before.since), { logged, gapped })
}

function knownAlready(): RpcError {
  return new RpcError(-32003, 'already known')
}

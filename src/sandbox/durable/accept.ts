import type { Hex } from 'viem'
import type { Engine } from '../engine/engine.ts'
import { RpcError } from '../engine/rpc-error.ts'
import type { Emit } from '../events.ts'
import { offerAnew } from './offer.ts'
import { endOfRun, findRoom } from './room.ts'
import { isLogged, type Signed, type Waiting, type WaitingPool } from './waiting.ts'

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
type Doors = { engine: Engine; pool: WaitingPool; head: number; house: ReadonlySet<Hex> | undefined; emit: Emit }

/** A transaction that was taken in, and what waits no longer for it: for the room, or for the nonce. */
type Admitted = { waiting: Waiting; gone: Waiting[] }

/** Takes a transaction into the engine's pool and that of the chain. Throws the refusal of either. */
export async function admit(
  { engine, pool, head, house = new Set(), emit }: Doors,
  transaction: Signed,
): Promise<Admitted> {
  const { from, hash } = transaction
  const before = pool.get(hash)
  if (before && isLogged(before)) throw knownAlready()
  // The engine has it still, and would call it known.
  if (before) await withdrawFailed(engine, pool)
  const next = Number(await engine.call('eth_getTransactionCount', [from, 'latest']))
  const pushedOut = findRoom(pool, { transaction, next, house })
  await demandFunds(engine, pool, transaction)
  await engine.call('eth_sendRawTransaction', [transaction.raw])
  for (const gone of pushedOut) {
    pool.remove(gone.hash)
    emit({ type: 'transaction-dropped', hash: gone.hash, reason: `the pool is full, and ${hash} can be executed` })
  }
  const waiting = pool.add(transaction, head)
  const own = pool.of(from)
  const end = endOfRun(own, next)
  for (const each of own.values()) each.gapped = each.nonce > end
  await offerAnew(engine, pool, new Set(pushedOut.map((gone) => gone.from)))
  return { waiting, gone: [...pushedOut, ...replacedBy(waiting)] }
}

/** What a transaction took the place of, which is not itself once more. */
export function replacedBy({ hash, insteadOf }: Waiting): Waiting[] {
  return insteadOf && insteadOf.hash !== hash ? [insteadOf] : []
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
 * it with the same nonce waits again.
 */
export async function withdrawFailed(engine: Engine, pool: WaitingPool): Promise<void> {
  const failed = pool.all().filter(({ logged }) => logged === 'failed')
  for (const { hash, insteadOf } of failed) {
    pool.remove(hash)
    let before = insteadOf
    while (before?.logged === 'failed') before = before.insteadOf
    if (before) pool.add(before, before.since).logged = before.logged
  }
  await offerAnew(engine, pool, new Set(failed.map(({ from }) => from)))
}

function knownAlready(): RpcError {
  return new RpcError(-32003, 'already known')
}

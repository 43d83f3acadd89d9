import type { Hex } from 'viem'
import type { Engine } from '../engine/engine.ts'
import { isEngineUnavailable, RpcError } from '../engine/rpc-error.ts'
import type { Emit } from '../events.ts'
import type { Waiting, WaitingPool } from './waiting.ts'

/** How often a transaction that the engine dropped is offered again, once a block. */
const maxOffers = 150

/** For so many blocks an accepted transaction waits for an earlier nonce of its sender: half an hour of usual ones. */
export const patienceBlocks = 900

/**
 * Hands an accepted transaction to an engine that may not have it. Answers why the engine would not take it now, or
 * null when it has it.
 */
export async function offer(engine: Engine, raw: Hex): Promise<string | null> {
  try {
    await engine.call('eth_sendRawTransaction', [raw])
    return null
  } catch (error) {
    if (!(error instanceof RpcError) || isEngineUnavailable(error)) throw error
    return error.message.includes('already') ? null : error.message
  }
}

/**
 * Sets the engine's pool right before a block: what the engine has dropped is offered again, since it was acknowledged,
 * and what there is no more hope for goes out of both. The engine is asked once, however much waits.
 */
export async function tidyPool(engine: Engine, pool: WaitingPool, head: number, emit: Emit): Promise<void> {
  if (pool.size() === 0) return
  const placeOf = await readPlaces(engine)
  const accounts = new Set<Hex>()
  for (const waiting of pool.all()) {
    const { hash, from } = waiting
    const place = placeOf(waiting)
    if (place) waiting.gapped = place === 'queued'
    const reason = await hopelessness(engine, waiting, place, head)
    if (reason === null) continue
    pool.remove(hash)
    accounts.add(from)
    emit({ type: 'transaction-dropped', hash, reason })
  }
  await offerAnew(engine, pool, accounts)
}

/** Leaves the engine's pool of these accounts only what still waits. */
export async function offerAnew(engine: Engine, pool: WaitingPool, accounts: ReadonlySet<Hex>): Promise<void> {
  if (accounts.size === 0) return
  await removeAccounts(engine, accounts)
  for (const { from, raw } of pool.all()) if (accounts.has(from)) await offer(engine, raw)
}

/** Empties the engine's pool of all that these accounts have there. A single one it lets go only if that can be mined. */
export async function removeAccounts(engine: Engine, accounts: ReadonlySet<Hex>): Promise<void> {
  for (const address of accounts) await engine.call('anvil_removePoolTransactions', [address])
}

/** In the engine's words: `pending` is what it can put into a block, `queued` what waits for an earlier nonce. */
type Place = 'pending' | 'queued'

async function hopelessness(
  engine: Engine,
  waiting: Waiting,
  place: Place | undefined,
  head: number,
): Promise<string | null> {
  if (place === 'pending') return null
  if (place === 'queued') {
    return head - waiting.since < patienceBlocks ? null : `waited ${patienceBlocks} blocks for an earlier nonce`
  }
  waiting.offers += 1
  if (waiting.offers > maxOffers) return 'could not be executed'
  const reason = await offer(engine, waiting.raw)
  return reason?.includes('nonce too low') ? reason : null
}

/** Reads where the engine has each transaction. There it is told by sender and nonce, which no two share. */
async function readPlaces(engine: Engine): Promise<(waiting: Waiting) => Place | undefined> {
  type Accounts = Record<string, Record<string, string>>
  const { pending, queued } = (await engine.call('txpool_inspect')) as Record<Place, Accounts>
  return ({ from, nonce }) => {
    if (pending[from]?.[nonce] !== undefined) return 'pending'
    return queued[from]?.[nonce] === undefined ? undefined : 'queued'
  }
}

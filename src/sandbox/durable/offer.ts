import type { Hex } from 'viem'
import type { Engine } from '../engine/engine.ts'
import type { Emit } from '../kit/events.ts'
import { isEngineUnavailable, RpcError } from '../kit/rpc-error.ts'
import { bytesOf, type Waiting, type WaitingPool } from './waiting.ts'

/** How often a transaction that the engine dropped is offered again, each time after twice as many blocks: 255 in all. */
const maxOffers = 8

/** What is offered again before one block. The block waits for it, and most of it will be dropped once more. */
export const budget = { offers: 64, bytes: 1_048_576 }

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
 * and what there is no more hope for goes out of both. Answers what went. The engine is asked once, however much waits.
 */
export async function tidyPool(engine: Engine, pool: WaitingPool, head: number, emit: Emit): Promise<Waiting[]> {
  if (pool.size() === 0) return []
  const dropped: Waiting[] = []
  const drop = (waiting: Waiting, reason: string) => {
    pool.remove(waiting.hash)
    dropped.push(waiting)
    emit({ type: 'transaction-dropped', hash: waiting.hash, reason })
  }
  const placeOf = await readPlaces(engine)
  const missing: Waiting[] = []
  const accounts = new Set<Hex>()
  for (const waiting of pool.all()) {
    const place = placeOf(waiting)
    if (place) waiting.gapped = place === 'queued'
    if (!place) missing.push(waiting)
    else if (place === 'queued' && head - waiting.since >= patienceBlocks) {
      drop(waiting, `waited ${patienceBlocks} blocks for an earlier nonce`)
      accounts.add(waiting.from)
    }
  }
  await removeAccounts(engine, accounts)
  for (const waiting of missing) {
    if (waiting.offers >= maxOffers && head >= waiting.nextOffer) drop(waiting, 'could not be executed')
  }
  // The engine has lost what is left of those accounts through no fault of theirs.
  const bereft = pool.all().filter((waiting) => accounts.has(waiting.from) && placeOf(waiting))
  const due = missing.filter(({ hash, nextOffer }) => pool.get(hash) && head >= nextOffer)
  for (const waiting of withinBudget([...bereft, ...due])) {
    const reason = await offer(engine, waiting.raw)
    if (reason?.includes('nonce too low')) drop(waiting, reason)
    if (placeOf(waiting)) continue
    waiting.nextOffer = head + 2 ** waiting.offers
    waiting.offers += 1
  }
  return dropped
}

/** Those that were offered least come first, so that what is offered in vain holds nothing else up. */
function withinBudget(lost: readonly Waiting[]): Waiting[] {
  let left = budget.bytes
  const first = lost.toSorted((a, b) => a.offers - b.offers).slice(0, budget.offers)
  return first.filter((waiting) => {
    left -= bytesOf(waiting)
    return left >= 0
  })
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

/** Reads where the engine has each transaction. There it is told by sender and nonce, which no two share. */
export async function readPlaces(engine: Engine): Promise<(waiting: Waiting) => Place | undefined> {
  type Accounts = Record<string, Record<string, string>>
  const { pending, queued } = (await engine.call('txpool_inspect')) as Record<Place, Accounts>
  return ({ from, nonce }) => {
    if (pending[from]?.[nonce] !== undefined) return 'pending'
    return queued[from]?.[nonce] === undefined ? undefined : 'queued'
  }
}

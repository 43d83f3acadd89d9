import type { Engine } from '../engine/engine.ts'
import { offerAnew } from './offer.ts'
import type { Signed, Waiting, WaitingPool } from './waiting.ts'

/** Takes a transaction into the engine's pool and that of the chain. Throws the refusal of either. */
export async function admit(engine: Engine, pool: WaitingPool, transaction: Signed, head: number): Promise<Waiting> {
  await pool.demandRoom(transaction, async (address) =>
    Number(await engine.call('eth_getTransactionCount', [address, 'latest'])),
  )
  await engine.call('eth_sendRawTransaction', [transaction.raw])
  return pool.add(transaction, head)
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

import { type Hex, numberToHex } from 'viem'
import type { Engine } from '../engine/engine.ts'
import { isEngineUnavailable, RpcError } from '../kit/rpc-error.ts'
import { offer, readPlaces } from './offer.ts'
import type { Deposit } from './records.ts'
import type { WaitingPool } from './waiting.ts'

type Waiting = Pick<WaitingPool, 'all'>

/** Puts the deposits of each block before what waits for it. What else the engine's pool has stays in its order. */
export type DepositPlacer = {
  /**
   * Places what the block after the newest one will most likely begin with, while hardly anything waits, so that nothing
   * has to be moved later. What `place` is given is what counts. It never fails: the newest block is to be told of.
   */
  begin: (engine: Engine, next: () => readonly Deposit[], pool: Waiting) => Promise<void>
  /** Sees to it that the pool begins with exactly these. */
  place: (engine: Engine, deposits: readonly Deposit[], pool: Waiting) => Promise<void>
}

/** Makes the placer of one chain, whatever engine is at work: what one was given, the next one knows nothing of. */
export function depositPlacer(): DepositPlacer {
  let begun: { engine: Engine; hashes: readonly Hex[] } | undefined

  return {
    begin: async (engine, next, pool) => {
      let touched = false
      try {
        const deposits = next()
        if (deposits.length === 0 || !deposits.every(isEarly)) return
        // What is queued for a nonce before its own comes after them by itself.
        const { pending } = (await engine.call('txpool_status')) as { pending: Hex }
        touched = true
        if (Number(pending) > 0) await placeDeposits(engine, deposits, pool)
        else await sendDeposits(engine, deposits)
        begun = { engine, hashes: deposits.map(({ hash }) => hash) }
      } catch {
        // Nobody knows what the pool has then. What cannot be planned ahead is planned when it is made.
        if (touched) await engine.kill()
      }
    },
    place: async (engine, deposits, pool) => {
      const there = begun?.engine === engine ? begun.hashes : []
      begun = undefined
      const isThere = deposits.length === there.length && deposits.every(({ hash }, index) => hash === there[index])
      if (!isThere) await placeDeposits(engine, deposits, pool)
    },
  }
}

/**
 * May a deposit wait in the pool while its block's transactions come in. One that the parent chain orders may not: what
 * its sender signs meanwhile would replace it. The rollup's own have a sender whose key nobody has.
 */
function isEarly({ parentTransaction }: Deposit): boolean {
  return parentTransaction === null
}

/**
 * Puts deposits before everything that waits in the engine's pool, which keeps the order of arrival. A sender's own
 * transactions sit out the block of its deposits: at the same nonce the pool would take one for a replacement of the
 * deposit, and drop it.
 */
async function placeDeposits(engine: Engine, deposits: readonly Deposit[], pool: Waiting): Promise<void> {
  const senders = new Set(deposits.map(({ from }) => from))
  const placeOf = await readPlaces(engine)
  await engine.call('anvil_dropAllTransactions')
  await sendDeposits(engine, deposits)
  for (const waiting of pool.all()) {
    if (!senders.has(waiting.from) && placeOf(waiting)) await offer(engine, waiting.raw)
  }
}

/** Hands deposits to an engine whose pool is empty, in order. One that the engine refuses is left out, always alike. */
export async function sendDeposits(engine: Engine, deposits: readonly Deposit[]): Promise<void> {
  const nonces = new Map<Hex, number>()
  for (const { hash, parentTransaction: _, to, ...fields } of deposits) {
    const { from } = fields
    const nonce = nonces.get(from) ?? Number(await engine.call('eth_getTransactionCount', [from, 'latest']))
    const transaction = { ...fields, ...(to && { to }), type: '0x7e', isSystemTx: false, nonce: numberToHex(nonce) }
    try {
      const sent = await engine.call('eth_sendTransaction', [transaction])
      if (sent === hash) nonces.set(from, nonce + 1)
      else await engine.call('anvil_dropTransaction', [sent])
    } catch (error) {
      if (!(error instanceof RpcError) || isEngineUnavailable(error)) throw error
    }
  }
}

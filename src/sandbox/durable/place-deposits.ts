import { type Hex, numberToHex } from 'viem'
import type { Engine } from '../engine/engine.ts'
import { isEngineUnavailable, RpcError } from '../engine/rpc-error.ts'
import { offer, readPlaces } from './offer.ts'
import type { Deposit } from './records.ts'
import type { WaitingPool } from './waiting.ts'

/**
 * Puts deposits before everything that waits in the engine's pool, which keeps the order of arrival. A sender's own
 * transactions sit out the block of its deposits: at the same nonce the pool would take one for a replacement of the
 * deposit, and drop it.
 */
export async function placeDeposits(
  engine: Engine,
  deposits: readonly Deposit[],
  pool: Pick<WaitingPool, 'all'>,
): Promise<void> {
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

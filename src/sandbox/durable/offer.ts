import type { Hex } from 'viem'
import type { Engine } from '../engine/engine.ts'
import { isEngineUnavailable, RpcError } from '../engine/rpc-error.ts'
import type { Emit } from '../events.ts'

/** How often a transaction that the engine dropped is offered again, once a block. */
const maxOffers = 150

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

/** What waits is offered again for a while where the engine forgot it. */
export type Offers = {
  /** Offers what the engine has dropped, and takes out of `pending` what there is no more hope for. */
  dropped: (engine: Engine, pending: Map<Hex, Hex>) => Promise<void>
  forget: (hash: Hex) => void
  clear: () => void
}

/** Counts how often each was offered: the engine drops what it cannot execute now, but it was acknowledged. */
export function countOffers(emit: Emit): Offers {
  const offers = new Map<Hex, number>()
  return {
    dropped: async (engine, pending) => {
      for (const [hash, raw] of pending) {
        if (await engine.call('eth_getTransactionByHash', [hash])) continue
        const count = (offers.get(hash) ?? 0) + 1
        offers.set(hash, count)
        const reason = count > maxOffers ? 'could not be executed' : await offer(engine, raw)
        if (reason === null || (count <= maxOffers && !reason.includes('nonce too low'))) continue
        await engine.call('anvil_dropTransaction', [hash])
        pending.delete(hash)
        offers.delete(hash)
        emit({ type: 'transaction-dropped', hash, reason })
      }
    },
    forget: (hash) => void offers.delete(hash),
    clear: () => offers.clear(),
  }
}

import type { Hex } from 'viem'
import type { Engine } from '../engine/engine.ts'
import { isEngineUnavailable, RpcError } from '../engine/rpc-error.ts'

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

import type { Chain } from '../durable/chain.ts'
import { isEngineUnavailable } from '../kit/rpc-error.ts'
import { checkedParams } from './public-methods.ts'
import { transactionGate } from './transactions.ts'

/** Answers public JSON-RPC methods; what viem's `custom()` transport takes. */
export type Request = (args: { method: string; params?: unknown }) => Promise<unknown>

/**
 * Makes the only way by which callers reach a chain: what changes nothing, and signed transactions. What the engine
 * cannot answer is looked up among what is `kept`, which answers null where it has nothing.
 */
export function publicDoor(
  chain: Chain,
  kept: (method: string, params: readonly unknown[]) => unknown = () => null,
): Request {
  const accept = transactionGate(chain)
  return async ({ method, params }) => {
    if (method === 'eth_sendRawTransaction') return accept(Array.isArray(params) ? params[0] : undefined)
    const checked = checkedParams(method, params)
    try {
      return await chain.read(method, checked)
    } catch (error) {
      const instead = isEngineUnavailable(error) ? null : kept(method, checked)
      if (instead === null) throw error
      return instead
    }
  }
}

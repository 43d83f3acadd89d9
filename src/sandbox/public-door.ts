import type { Chain } from './durable/chain.ts'
import { checkedParams } from './engine/public-methods.ts'
import { transactionGate } from './transactions.ts'

/** Answers public JSON-RPC methods; what viem's `custom()` transport takes. */
export type Request = (args: { method: string; params?: unknown }) => Promise<unknown>

/** Makes the only way by which callers reach a chain: what changes nothing, and signed transactions. */
export function publicDoor(chain: Chain): Request {
  const accept = transactionGate(chain)
  return async ({ method, params }) => {
    if (method === 'eth_sendRawTransaction') return accept(Array.isArray(params) ? params[0] : undefined)
    return chain.read(method, checkedParams(method, params))
  }
}

import type { NodeCaller } from '../../domain/ports/node.ts'
import type { Chain } from '../chain/chain.ts'
import type { Lane, ReadBounds } from '../engine/reads.ts'
import { isEngineUnavailable } from '../kit/rpc-error.ts'
import { checkedParams } from './public-methods.ts'
import { transactionGate } from './transactions.ts'

/** Calls a public JSON-RPC method, in the form of viem's `custom()` transport. Throws RpcError. */
export type Request = (args: {
  method: string
  params?: unknown
  /** Whose read it is; a stranger's unless it says otherwise. */
  lane?: Lane
  caller?: NodeCaller
  signal?: AbortSignal
}) => Promise<unknown>

/**
 * Creates the only way by which callers reach a chain: reads and signed transactions. Where a read fails, `stored` may
 * have its result; it returns null where it has none.
 */
export function publicRequests(
  chain: Chain,
  { gas }: ReadBounds,
  stored: (method: string, params: readonly unknown[]) => unknown = () => null,
): Request {
  const sendTransaction = transactionGate(chain)
  return async ({ method, params, lane = 'public', caller, signal }) => {
    if (method === 'eth_sendRawTransaction') return sendTransaction(Array.isArray(params) ? params[0] : undefined)
    const checked = checkedParams(method, params, BigInt(gas))
    try {
      return await chain.read(method, checked, { lane, caller, signal })
    } catch (error) {
      const result = isEngineUnavailable(error) ? null : stored(method, checked)
      if (result === null) throw error
      return result
    }
  }
}

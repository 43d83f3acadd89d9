import { rpcBindings } from '../../../contract/chain/chain.ts'
import { isHash, isQuantity } from '../../../kit/hex.ts'

/**
 * The number of the block that a node must have so that its answer is not an old one; -1 where the node refuses a call
 * whose block it lacks, or where every answer is as good. A node that lags leaves out the newest logs and says `null` of
 * what it does not know yet.
 */
export function blockNeeded(method: string, params: readonly unknown[], newest: bigint): bigint {
  const least = (block: unknown) => (isQuantity(block) && BigInt(block) < newest ? BigInt(block) : newest)
  if (method === 'eth_getLogs') {
    const { blockHash, toBlock } = (params[0] ?? {}) as { blockHash?: unknown; toBlock?: unknown }
    return blockHash === undefined ? least(toBlock) : -1n
  }
  const binding = rpcBindings.get(method)
  if (binding?.params.includes('hash')) return newest
  if (binding?.block !== 0 || isHash(params[0])) return -1n
  return least(params[0])
}

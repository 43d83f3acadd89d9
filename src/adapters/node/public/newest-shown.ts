import { isQuantity } from '../../../kit/hex.ts'

/** Whether a call asks for the newest block of a node. */
export function showsNewest(method: string, [block]: readonly unknown[]): boolean {
  return method === 'eth_blockNumber' || (method === 'eth_getBlockByNumber' && block === 'latest')
}

/** Number of the newest block, where the call asked for it; null elsewhere. */
export function newestShown(method: string, params: readonly unknown[], result: unknown): bigint | null {
  if (!showsNewest(method, params)) return null
  const number = method === 'eth_blockNumber' ? result : (result as { number?: unknown } | null)?.number
  return isQuantity(number) ? BigInt(number) : -1n
}

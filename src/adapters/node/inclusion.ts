import type { Hex } from '../../domain/ports/chains.ts'
import type { ChainNode, NodeObject } from '../../domain/ports/node.ts'
import { timeLimit } from '../../kit/time-limit.ts'
import { cancelled } from '../async/single-flight.ts'

/**
 * Reads the receipt of a transaction at once and after each change of the chain, until it exists or the time is over.
 */
export async function inclusionOf(
  { request, changes }: Pick<ChainNode, 'request' | 'changes'>,
  hash: Hex,
  waitMs: number,
  signal: AbortSignal,
): Promise<NodeObject | null> {
  const look = async () => (await request('eth_getTransactionReceipt', [hash], signal)) as NodeObject | null
  const found = new AbortController()
  try {
    // Subscribes first, so that no change is missed between the first read and the next.
    const moved = changes(AbortSignal.any([signal, timeLimit(waitMs), found.signal]))
    let receipt = await look()
    while (receipt === null && (await moved.next()).done !== true) receipt = await look()
    if (receipt === null && signal.aborted) throw cancelled()
    return receipt
  } finally {
    found.abort()
  }
}

import { chainWithin } from '../core/chain-within.ts'
import { timeLimit } from '../core/time-limit.ts'
import type { Chain, Hex } from '../ports/chains.ts'

/** Nodes that trace a transaction take their time for it. */
const patienceMs = 3_000

const unknown = {
  reason: 'the reason is not known',
  advice: 'Ask for a new quote and check the risk of the token before it is sent again.',
} as const

/**
 * Why a mined transaction reverted and what to do, as far as the node tells it in three seconds. It never rejects: these
 * are words alone, for which neither a state nor money waits.
 */
export async function whyReverted(chain: Chain, hash: Hex): Promise<{ reason: string; advice: string }> {
  const timed = chainWithin(chain, timeLimit(patienceMs))
  return await timed.revertReason(hash).catch(() => unknown)
}

import { chainWithin } from '../core/chain-within.ts'
import type { Chain, Hex } from '../ports/chains.ts'
import type { Clock } from '../ports/system.ts'

/** Milliseconds for the trace of a transaction, which is slow work for a node. */
const traceMs = 3_000

const unknown = {
  reason: 'the reason is not known',
  advice: 'Ask for a new quote and check the risk of the token before it is sent again.',
  belowMinimum: false,
} as const

/**
 * Why a mined transaction reverted and what to do, as far as the node tells it in three seconds. It never rejects: these
 * are words alone, for which neither a state nor money waits.
 */
export async function whyReverted(clock: Clock, chain: Chain, hash: Hex): ReturnType<Chain['revertReason']> {
  const timed = chainWithin(chain, clock.limit(traceMs))
  return await timed.revertReason(hash).catch(() => unknown)
}

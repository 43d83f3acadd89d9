import type { Chain, Head } from '../ports/chains.ts'
import type { Clock } from '../ports/system.ts'

/** A head older than this many block times is stale: its node hangs, or nothing produces blocks. */
const staleBlocks = 5

/** The newest block of a chain, its age in whole seconds, never below zero, and whether that is too old. */
export type HeadAge = { head: Head; seconds: number; isStale: boolean }

/** Reads the newest block and its age; null where the chain does not respond. Health and operators go by this rule. */
export async function readHeadAge(chain: Pick<Chain, 'head' | 'info'>, clock: Clock): Promise<HeadAge | null> {
  const head = await chain.head().catch(() => null)
  if (head === null) return null
  const seconds = Math.max(0, Math.floor(clock.now().getTime() / 1_000) - Number(head.timestamp))
  return { head, seconds, isStale: seconds > staleBlocks * chain.info.blockTimeSeconds }
}

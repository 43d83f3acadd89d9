import { asError, type Emit } from '../events.ts'
import type { Chain } from './chain.ts'

/** What there may be of blocks and transactions, counted together. */
export type UpkeepLimits = {
  /** In the log before a snapshot is due, since a start has to run it again. */
  tail: number
  /**
   * Made by an engine before another takes its place. It keeps each of them in memory, and every state with the hash
   * of every block: some 20 KB for a block and 10 KB for a transaction.
   */
  carried: number
}

export const usualLimits: UpkeepLimits = { tail: 1_000, carried: 4_000 }

/** A large state makes each block slow, so a snapshot is due sooner there: a start is to take no more than this. */
const tailMs = 2_000

/** Makes what is to be done after each block, so that a chain of any age starts and seals as fast as a young one. */
export function createUpkeep(chain: Chain, emit: Emit, limits: UpkeepLimits = usualLimits): () => Promise<void> {
  let recycling = false
  let restUntil = 0
  let due = limits.carried

  async function recycle(): Promise<void> {
    recycling = true
    try {
      await chain.recycle()
      due = Math.max(limits.carried, chain.carried() + limits.tail)
    } catch (thrown) {
      due = chain.carried() + limits.tail
      emit({ type: 'recycle-failed', error: asError(thrown) })
    } finally {
      recycling = false
    }
  }

  return async () => {
    // A snapshot would take away the log by which the new engine catches up.
    if (recycling) return
    const { steps } = chain.tail()
    if (isLong(chain.tail(), limits) && steps >= restUntil) {
      restUntil = 0
      await chain.snapshot().catch((thrown: unknown) => {
        // What failed now fails at the next block too, and costs as much again.
        restUntil = steps + limits.tail / 2
        emit({ type: 'snapshot-failed', error: asError(thrown) })
      })
    }
    // Not waited for: blocks are made meanwhile.
    if (chain.carried() >= due) void recycle()
  }
}

/** Is there so much in the log that a snapshot is due. */
export function isLong({ steps, milliseconds }: ReturnType<Chain['tail']>, { tail }: UpkeepLimits): boolean {
  return steps >= tail || milliseconds >= tailMs
}

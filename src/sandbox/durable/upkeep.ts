import { asError, type Emit } from '../events.ts'
import type { Chain } from './chain.ts'

/** Blocks and transactions after which a snapshot is due: what a start has to run again then takes a second or two. */
const snapshotAfter = 1_000

/**
 * Blocks and transactions that an engine makes before another takes its place. It keeps each of them in memory, and
 * every state with the hash of every block: some 20 KB for a block and 10 KB for a transaction.
 */
const recycleAfter = 4_000

/** Makes what is to be done after each block, so that a chain of any age starts and seals as fast as a young one. */
export function createUpkeep(chain: Chain, emit: Emit): () => Promise<void> {
  let recycling = false
  let due = recycleAfter

  async function recycle(): Promise<void> {
    recycling = true
    try {
      await chain.recycle()
      due = recycleAfter
    } catch (thrown) {
      due = chain.carried() + snapshotAfter
      emit({ type: 'recycle-failed', error: asError(thrown) })
    } finally {
      recycling = false
    }
  }

  return async () => {
    // A snapshot would take away the log by which the new engine catches up.
    if (recycling) return
    if (chain.tail() >= snapshotAfter)
      await chain.snapshot().catch((thrown: unknown) => emit({ type: 'snapshot-failed', error: asError(thrown) }))
    // Not waited for: blocks are made meanwhile.
    if (chain.carried() >= due) void recycle()
  }
}

import type { Chain } from '../durable/chain.ts'
import { asError, type Emit } from '../kit/events.ts'

/** What there may be before something is done about it. */
export type UpkeepLimits = {
  /** Blocks and transactions in the log before a snapshot is due, since a start has to run them again. */
  tail: number
  /**
   * Blocks and transactions made by an engine before another takes its place. It keeps each of them in memory, and
   * every state with the hash of every block: some 20 KB for a block and 10 KB for a transaction.
   */
  carried: number
  /** Bytes of memory that an engine may hold. As the state grows, so does every state kept of it. */
  memory: number
}

export const usualLimits: UpkeepLimits = { tail: 1_000, carried: 4_000, memory: 300_000_000 }

/** A large state makes each block slow, so a snapshot is due sooner there: a start is to take no more than this. */
const tailMs = 2_000

/**
 * Makes what is to be done after each block, so that a chain of any age starts and seals as fast as a young one. It is
 * done when the next block may be made; `recycling` then settles with the change of the engine, if one is under way.
 */
export function createUpkeep(
  chain: Chain,
  emit: Emit,
  limits: UpkeepLimits = usualLimits,
): () => Promise<{ recycling: Promise<void> | undefined }> {
  let recycling: Promise<void> | undefined
  let restUntil = 0
  let due = limits.carried
  /** Blocks until memory counts again: an engine fills up with states for a while, and a large state stays large. */
  let patience = 0

  async function recycle(): Promise<void> {
    patience = limits.tail
    try {
      await chain.recycle()
      due = Math.max(limits.carried, chain.carried() + limits.tail)
    } catch (thrown) {
      due = chain.carried() + limits.tail
      emit({ type: 'recycle-failed', error: asError(thrown) })
    } finally {
      recycling = undefined
    }
  }

  async function snapshot(steps: number): Promise<void> {
    restUntil = 0
    await chain.snapshot().catch((thrown: unknown) => {
      // What failed now fails at the next block too, and costs as much again.
      restUntil = steps + limits.tail / 2
      emit({ type: 'snapshot-failed', error: asError(thrown) })
    })
  }

  return async () => {
    // A snapshot would take away the log by which the new engine catches up.
    if (recycling) return { recycling }
    patience = Math.max(0, patience - 1)
    const swollen = patience === 0 && (await chain.memory()) >= limits.memory
    const { steps } = chain.tail()
    // The newest snapshot tells the next engine how large the state is now, and so how many of it to keep.
    if ((swollen || isLong(chain.tail(), limits)) && steps >= restUntil) await snapshot(steps)
    // Not waited for: blocks are made meanwhile.
    if (swollen || chain.carried() >= due) recycling = recycle()
    return { recycling }
  }
}

/** Is there so much in the log that a snapshot is due. */
function isLong({ steps, milliseconds }: ReturnType<Chain['tail']>, { tail }: UpkeepLimits): boolean {
  return steps >= tail || milliseconds >= tailMs
}

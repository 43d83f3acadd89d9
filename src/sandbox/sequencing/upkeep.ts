import type { Chain } from '../chain/chain.ts'
import { asError, type Emit } from '../kit/events.ts'

/** The limits beyond which upkeep acts. */
export type UpkeepLimits = {
  /** Blocks and transactions in the log before a snapshot is due, since a start has to replay them. */
  sinceSnapshot: number
  /**
   * Blocks and transactions run by an engine before it is replaced. It holds each of them in memory, and the hash of
   * every block with its state: some 20 KB for a block and 10 KB for a transaction.
   */
  engineSteps: number
  /** Resident memory of an engine in bytes. As the state grows, so does every retained copy of it. */
  engineMemory: number
}

export const defaultLimits: UpkeepLimits = { sinceSnapshot: 1_000, engineSteps: 4_000, engineMemory: 300_000_000 }

/** A large state makes each block slow, so a snapshot is due earlier there: a start should not replay for longer. */
const maxReplayMs = 2_000

/**
 * Creates the work to do after each block, so that a chain of any age starts and produces blocks as fast as a new one.
 * It is done when the next block may be produced. `replacing` settles with the replacement of the engine, if one runs.
 */
export function createUpkeep(
  chain: Chain,
  emit: Emit,
  limits: UpkeepLimits = defaultLimits,
): () => Promise<{ replacing: Promise<void> | undefined }> {
  let replacing: Promise<void> | undefined
  let nextSnapshotAt = 0
  let nextReplacementAt = limits.engineSteps
  /** Blocks until memory is checked again: a new engine fills up for a while, and a large state stays large. */
  let memoryCooldownBlocks = 0

  async function replaceEngine(): Promise<void> {
    memoryCooldownBlocks = limits.sinceSnapshot
    try {
      await chain.replaceEngine()
      nextReplacementAt = Math.max(limits.engineSteps, chain.engineSteps() + limits.sinceSnapshot)
    } catch (thrown) {
      nextReplacementAt = chain.engineSteps() + limits.sinceSnapshot
      emit({ type: 'engine-replacement-failed', error: asError(thrown) })
    } finally {
      replacing = undefined
    }
  }

  async function snapshot(steps: number): Promise<void> {
    nextSnapshotAt = 0
    await chain.snapshot().catch((thrown: unknown) => {
      // A repeated attempt would fail again at the next block, at the same cost.
      nextSnapshotAt = steps + limits.sinceSnapshot / 2
      emit({ type: 'snapshot-failed', error: asError(thrown) })
    })
  }

  return async () => {
    // A snapshot would remove the log from which the new engine catches up.
    if (replacing) return { replacing }
    memoryCooldownBlocks = Math.max(0, memoryCooldownBlocks - 1)
    const isLarge = memoryCooldownBlocks === 0 && (await chain.engineMemory()) >= limits.engineMemory
    const { steps, milliseconds } = chain.sinceSnapshot()
    const isDue = isLarge || steps >= limits.sinceSnapshot || milliseconds >= maxReplayMs
    // The size of the newest snapshot decides how many states the next engine retains.
    if (isDue && steps >= nextSnapshotAt) await snapshot(steps)
    // The work is not awaited, so that blocks are produced meanwhile.
    if (isLarge || chain.engineSteps() >= nextReplacementAt) replacing = replaceEngine()
    return { replacing }
  }
}

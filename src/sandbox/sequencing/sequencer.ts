import type { Chain } from '../chain/chain.ts'
import { asError, type Emit } from '../kit/events.ts'
import { createListeners } from '../kit/listeners.ts'
import type { Head, Plan } from '../log/records.ts'

/** The clock of a chain: it alone decides when a block is produced. */
export type Sequencer = {
  /** Returns whether this changed anything. Transactions accepted while it was stopped are in the next block. */
  start: () => boolean
  stop: () => boolean
  running: () => boolean
  onBlock: (listener: (block: Head) => void) => () => void
  /** Stops for good, after the block that is being produced. */
  close: () => Promise<void>
}

type SequencerOptions = {
  chain: Chain
  blockTimeSeconds: number
  emit: Emit
  /** Derives the deposits and the origin of a block at this time; none by default. */
  derive?: (timestamp: number) => Omit<Plan, 'timestamp'>
  now?: () => number
  upkeep?: UpkeepLimits
}

const retryMs = 250

/** Produces a block each time the wall clock reaches the head's time plus the block time. */
export function startSequencer(options: SequencerOptions): Sequencer {
  const { chain, blockTimeSeconds, emit, derive = () => ({ deposits: [] }), now = Date.now } = options
  const listeners = createListeners<Head>(emit)
  const upkeep = createUpkeep(chain, emit, options.upkeep)
  let timer: NodeJS.Timeout | undefined
  let running = true
  let closed = false
  let producing: Promise<void> = Promise.resolve()
  /** The message of the last failure. A failure that repeats is reported once. */
  let failure = ''

  function schedule(): void {
    // Computed from the head's time instead of repeated at an interval, so that delays do not add up. At most one block
    // time ahead, since a wall clock that was set back would otherwise stop the chain.
    const due = (chain.head().timestamp + blockTimeSeconds) * 1000 - now()
    after(Math.min(Math.max(due, 0), blockTimeSeconds * 1000))
  }

  function after(milliseconds: number): void {
    clearTimeout(timer)
    if (running && !closed) timer = setTimeout(() => (producing = tick()), milliseconds)
  }

  function plan(head: Head): Plan {
    const timestamp = Math.max(head.timestamp + blockTimeSeconds, Math.floor(now() / 1000))
    return { timestamp, ...derive(timestamp) }
  }

  async function tick(): Promise<void> {
    try {
      listeners.notify(await chain.produceBlock(plan))
      failure = ''
    } catch (thrown) {
      const error = asError(thrown)
      if (error.message !== failure) emit({ type: 'block-production-failed', error })
      failure = error.message
      return after(retryMs)
    }
    await upkeep()
    schedule()
  }

  schedule()
  return {
    start: () => {
      if (running || closed) return false
      running = true
      // A block that is being produced schedules the next one itself.
      void producing.then(schedule)
      return true
    },
    stop: () => {
      if (!running) return false
      running = false
      clearTimeout(timer)
      return true
    },
    running: () => running && !closed,
    onBlock: listeners.add,
    close: async () => {
      closed = true
      clearTimeout(timer)
      await producing
    },
  }
}

/** The limits beyond which upkeep acts. */
type UpkeepLimits = {
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

import type { Chain } from '../chain/chain.ts'
import { asError, type Emit } from '../kit/events.ts'
import type { Head, Plan } from '../log/records.ts'
import { createUpkeep, type UpkeepLimits } from './upkeep.ts'

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
      await chain.produceBlock(plan)
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
    onBlock: chain.onBlock,
    close: async () => {
      closed = true
      clearTimeout(timer)
      await producing
    },
  }
}

import type { Chain } from '../durable/chain.ts'
import type { Head, Plan } from '../durable/records.ts'
import { asError, type Emit } from '../kit/events.ts'
import { createListeners } from '../kit/listeners.ts'
import { createUpkeep, type UpkeepLimits } from './upkeep.ts'

/** The clock of the chain: it alone decides when a block is made. */
export type Sequencer = {
  /** Answers whether this changed anything; transactions accepted while it was stopped are in the next block. */
  start: () => boolean
  stop: () => boolean
  running: () => boolean
  onBlock: (listener: (block: Head) => void) => () => void
  /** Stops for good, after the block that is being made. */
  close: () => Promise<void>
}

export type SequencerOptions = {
  chain: Chain
  blockTimeSeconds: number
  emit: Emit
  /** What a block at this time takes over from elsewhere; nothing unless given. */
  takeOver?: (timestamp: number) => Omit<Plan, 'timestamp'>
  now?: () => number
  upkeep?: UpkeepLimits
}

const retryMs = 250

/** Starts sealing a block each time the wall clock reaches the head's time plus the block time. */
export function startSequencer(options: SequencerOptions): Sequencer {
  const { chain, blockTimeSeconds, emit, takeOver = () => ({ deposits: [] }), now = Date.now } = options
  const listeners = createListeners<Head>(emit)
  const upkeep = createUpkeep(chain, emit, options.upkeep)
  let timer: NodeJS.Timeout | undefined
  let running = true
  let closed = false
  let sealing: Promise<void> = Promise.resolve()
  /** What failed lately: it is told once, however often it is tried again. */
  let failure = ''

  function schedule(): void {
    // Aimed at a moment instead of repeated at an interval, so that delays do not add up. Never further than one block
    // time, since a wall clock that was set back would otherwise stop the chain.
    const due = (chain.head().timestamp + blockTimeSeconds) * 1000 - now()
    after(Math.min(Math.max(due, 0), blockTimeSeconds * 1000))
  }

  function after(milliseconds: number): void {
    clearTimeout(timer)
    if (running && !closed) timer = setTimeout(() => (sealing = tick()), milliseconds)
  }

  function plan(head: Head): Plan {
    const timestamp = Math.max(head.timestamp + blockTimeSeconds, Math.floor(now() / 1000))
    return { timestamp, ...takeOver(timestamp) }
  }

  async function tick(): Promise<void> {
    try {
      listeners.tell(await chain.seal(plan))
      failure = ''
    } catch (thrown) {
      const error = asError(thrown)
      if (error.message !== failure) emit({ type: 'seal-failed', error })
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
      // A block under way plans the next one itself.
      void sealing.then(schedule)
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
      await sealing
    },
  }
}

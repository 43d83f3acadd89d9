import { DomainError } from '../../errors.ts'
import type { Clock } from '../../ports/system.ts'

/** What the tools of one answer may cost: how many calls, and milliseconds of each and of all together. */
export const toolBounds = { calls: 24, callMs: 20_000, answerMs: 90_000 } as const

/** Runs work within what is left of an answer's budget. */
export type Spend = <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>

/**
 * Makes the budget of one answer. What is over it is LIMIT_EXCEEDED, what takes too long DEADLINE_EXCEEDED, and once
 * the answer is stopped everything rejects with the reason of that.
 */
export function createToolBudget(clock: Clock, stopped: AbortSignal): Spend {
  let calls = 0
  let spentMs = 0
  return async (work) => {
    calls += 1
    const leftMs = toolBounds.answerMs - spentMs
    if (calls > toolBounds.calls || leftMs <= 0)
      throw new DomainError('LIMIT_EXCEEDED', 'This answer has looked up as much as one may; ask the rest separately.')
    const late = AbortSignal.timeout(Math.min(toolBounds.callMs, leftMs))
    const began = clock.now().getTime()
    try {
      return await ending(work, AbortSignal.any([stopped, late]))
    } catch (thrown) {
      if (!late.aborted || stopped.aborted) throw thrown
      throw new DomainError('DEADLINE_EXCEEDED', 'Looking that up took too long; try again in a moment.', {}, thrown)
    } finally {
      spentMs += Math.max(0, clock.now().getTime() - began)
    }
  }
}

/** The work, or the reason of the signal once it aborts: not all work listens to signals. */
async function ending<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = () => reject(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([work(signal), ended])
  } finally {
    signal.removeEventListener('abort', end)
  }
}

import { DomainError } from '../../core/errors.ts'
import { timeLimit } from '../../core/time-limit.ts'
import type { AssistantTool } from '../../ports/assistant.ts'
import type { Clock } from '../../ports/system.ts'

/** What the tools of one answer may cost: how many calls, and milliseconds of each and of all together. */
export const toolBounds = { calls: 24, callMs: 20_000, answerMs: 90_000 } as const

/** Runs work within what is left of an answer's time. */
export type Spend = <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>

/** The same tools as far as one answer may call them; what is over that is LIMIT_EXCEEDED, and nothing hears of it. */
export function limitedTools(tools: ReadonlyMap<string, AssistantTool>): ReadonlyMap<string, AssistantTool> {
  let calls = 0
  const limited = ({ run, ...rest }: AssistantTool): AssistantTool => ({
    ...rest,
    async run(input) {
      calls += 1
      if (calls > toolBounds.calls) throw overspent()
      return await run(input)
    },
  })
  return new Map([...tools].map(([name, tool]) => [name, limited(tool)]))
}

/**
 * Makes the time of one answer. What is over it is LIMIT_EXCEEDED, what takes too long DEADLINE_EXCEEDED, and once
 * the answer is stopped everything rejects with the reason of that.
 */
export function createToolTime(clock: Clock, stopped: AbortSignal): Spend {
  let spentMs = 0
  return async (work) => {
    const leftMs = toolBounds.answerMs - spentMs
    if (leftMs <= 0) throw overspent()
    const late = timeLimit(Math.min(toolBounds.callMs, leftMs))
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

function overspent(): DomainError {
  return new DomainError('LIMIT_EXCEEDED', 'This answer has looked up as much as one may; ask the rest separately.')
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

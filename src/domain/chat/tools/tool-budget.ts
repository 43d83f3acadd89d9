import type { Fail } from '../../core/errors.ts'
import type { AssistantTool } from '../../ports/assistant.ts'
import type { Clock } from '../../ports/system.ts'

/** The limits of one answer: calls of tools, and milliseconds of one call and of all calls together. */
export const toolBounds = { calls: 24, callMs: 20_000, answerMs: 90_000 } as const

/** Runs work within the remaining time of an answer. */
type Spend = <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>

/** The given tools, which fail with LIMIT_EXCEEDED after the most calls of one answer. */
export function limitedTools(
  tools: ReadonlyMap<string, AssistantTool>,
  fail: Fail<'LIMIT_EXCEEDED'>,
): ReadonlyMap<string, AssistantTool> {
  let calls = 0
  const limited = ({ run, ...rest }: AssistantTool): AssistantTool => ({
    ...rest,
    async run(input) {
      calls += 1
      if (calls > toolBounds.calls) throw overspent(fail)
      return await run(input)
    },
  })
  return new Map([...tools].map(([name, tool]) => [name, limited(tool)]))
}

/**
 * Counts the time of one answer's tool calls. A call fails with LIMIT_EXCEEDED where no time remains, and with
 * DEADLINE_EXCEEDED where it takes too long. Once the answer is stopped every call rejects with the reason of that signal.
 */
export function createToolTime(
  clock: Clock,
  stopped: AbortSignal,
  fail: Fail<'DEADLINE_EXCEEDED' | 'LIMIT_EXCEEDED'>,
): Spend {
  let spentMs = 0
  return async (work) => {
    const leftMs = toolBounds.answerMs - spentMs
    if (leftMs <= 0) throw overspent(fail)
    const late = clock.limit(Math.min(toolBounds.callMs, leftMs))
    const began = clock.now().getTime()
    try {
      return await untilAborted(work, AbortSignal.any([stopped, late]))
    } catch (thrown) {
      if (!late.aborted || stopped.aborted) throw thrown
      throw fail('DEADLINE_EXCEEDED', 'The lookup took too long. Try again in a moment.', {}, thrown)
    } finally {
      spentMs += Math.max(0, clock.now().getTime() - began)
    }
  }
}

function overspent(fail: Fail<'LIMIT_EXCEEDED'>) {
  return fail('LIMIT_EXCEEDED', 'This answer has used all its lookups. Ask for the rest separately.')
}

/** Rejects with the signal's reason as soon as it aborts, for not all work listens to signals. */
async function untilAborted<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work(signal), aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/operation.ts'
import type { Handler } from '../handler.ts'
import type { Ports } from '../ports.ts'
import { isFinal, stepOf } from './execution-state.ts'
import { presentExecution } from './present-execution.ts'

type Needs = 'chains' | 'executions' | 'tradingSettings'
type Event = OutputOf<typeof contract.trading.watchExecution>

/** The execution each time its state has changed, until it is final. Event numbers are steps, and a step may be skipped. */
export const watchExecution: Handler<typeof contract.trading.watchExecution, Needs> = async (ports, input, call) => {
  const { userId } = call.principal
  const found = await ports.executions.find(userId, input.execution_id)
  if (found === null) throw call.fail('NOT_FOUND', 'You have no such execution; list yours to find its id.')
  call.nameStream(found.id)
  return events(ports, userId, found.id, stepAfter(input.last_event_id, found.id), call.signal)
}

async function* events(
  ports: Pick<Ports, Needs>,
  userId: number,
  executionId: string,
  seen: number,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  let step = seen
  while (!signal.aborted) {
    // Listening starts before the look, so that nothing between the two is missed.
    const waiting = new AbortController()
    const changed = ports.executions.changed(executionId, AbortSignal.any([signal, waiting.signal]))
    try {
      const execution = await ports.executions.find(userId, executionId)
      if (execution === null) return
      const present = stepOf(execution.state)
      if (present > step) {
        step = present
        yield { id: `${executionId}:${step}`, ...presentExecution(ports, execution) }
      }
      if (isFinal(execution.state)) return
      await changed
    } finally {
      waiting.abort()
    }
  }
}

/** The step of the last event seen; 0 where there was none or the id is not one of this execution's. */
function stepAfter(lastEventId: string | undefined, executionId: string): number {
  const match = /^(.+):(\d{1,2})$/.exec(lastEventId ?? '')
  return match?.[1] === executionId ? Number(match[2]) : 0
}

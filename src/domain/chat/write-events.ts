import { operationOf } from '../../contract/index.ts'
import type { AssistantTool } from '../ports/assistant.ts'
import type { ChatStreams, StreamChunk, StreamFacts } from '../ports/conversations.ts'

/** Stores the next event of an answer; false where the answer is over or cleared. */
export type PutEvent = (event: Omit<StreamChunk, 'seq'>) => Promise<boolean>

/** Numbers the events of a stream and stores them one after the other, whoever tells them at the same time. */
export function eventWriter(streams: Pick<ChatStreams, 'append'>, streamId: string): PutEvent {
  let seq = 0
  let last: Promise<unknown> = Promise.resolve()
  return async (event) => {
    seq += 1
    const chunk = { seq, ...event }
    const stored = last.then(() => streams.append(streamId, chunk))
    last = stored.catch(() => undefined)
    return await stored
  }
}

/** The tools of an answer, each telling when it starts, how it did, and what it found where that has a card. */
export function toldTools(
  tools: ReadonlyMap<string, AssistantTool>,
  put: PutEvent,
): ReadonlyMap<string, AssistantTool> {
  let calls = 0
  const told = ({ name, operation, run, ...rest }: AssistantTool): AssistantTool => ({
    ...rest,
    name,
    operation,
    async run(input) {
      calls += 1
      const call = { call_id: `call_${calls}`, tool: name }
      const tell = (facts: StreamFacts) => put({ content: '', facts: { ...call, ...facts } })
      await tell({ event: 'tool_started' })
      const result = await run(input).catch(async (failure: unknown) => {
        await tell({ event: 'tool_result', ok: false })
        throw failure
      })
      await tell({ event: 'tool_result', ok: true })
      const card = cardOf(operation, result)
      if (card !== null) await tell(card)
      return result
    },
  })
  return new Map([...tools].map(([name, tool]) => [name, told(tool)]))
}

/** A quote or a risk report, as far as the contract knows it; null where the answer is neither. */
function cardOf(operation: string, result: Record<string, unknown>): StreamFacts | null {
  if (operation === 'trading.quote') {
    const { data: quote } = operationOf(operation).output.safeParse(result)
    return quote === undefined ? null : { event: 'quote_card', quote }
  }
  if (operation === 'trading.assessRisk') {
    const { data: risk } = operationOf(operation).output.safeParse(result)
    return risk === undefined ? null : { event: 'risk_card', risk }
  }
  return null
}

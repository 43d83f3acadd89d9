import { operationOf } from '../../contract/index.ts'
import type { AssistantTool } from '../ports/assistant.ts'
import type { ChatStreams, StreamChunk, StreamFacts } from '../ports/conversations.ts'
import { usualWallet } from '../ports/wallets.ts'

/** Stores the next event of an answer; false where the answer has ended or was cleared. */
export type StoreEvent = (event: Omit<StreamChunk, 'seq'>) => Promise<boolean>

/** The swap of a stored quote of the caller; null where there is none. */
export type SwapOf = (quoteId: string) => Promise<NonNullable<StreamFacts['swap']> | null>

/** Stores the events of a stream one after the other, and numbers them without a gap (invariant 3 of `ChatStreams`). */
export function eventWriter(streams: Pick<ChatStreams, 'append'>, streamId: string): StoreEvent {
  let seq = 0
  let last: Promise<unknown> = Promise.resolve()
  return async (event) => {
    const storing = last.then(async () => {
      const isStored = await streams.append(streamId, { seq: seq + 1, ...event })
      if (isStored) seq += 1
      return isStored
    })
    last = storing.catch(() => undefined)
    return await storing
  }
}

/** The tools of an answer, which store events: the start of each call, its success or failure, and a card of its result. */
export function reportingTools(
  tools: ReadonlyMap<string, AssistantTool>,
  store: StoreEvent,
  swapOf: SwapOf,
): ReadonlyMap<string, AssistantTool> {
  let calls = 0
  const reporting = ({ name, operation, run, ...rest }: AssistantTool): AssistantTool => ({
    ...rest,
    name,
    operation,
    async run(input) {
      calls += 1
      const call = { call_id: `call_${calls}`, tool: name }
      const report = (facts: StreamFacts) => store({ content: '', facts: { ...call, ...facts } })
      await report({ event: 'tool_started' })
      const result = await run(input).catch(async (failure: unknown) => {
        await report({ event: 'tool_result', ok: false })
        throw failure
      })
      await report({ event: 'tool_result', ok: true, ...sourceOf(result) })
      const card = await cardOf(operation, input, result, swapOf)
      if (card !== null) await report(card)
      return result
    },
  })
  return new Map([...tools].map(([name, tool]) => [name, reporting(tool)]))
}

/** The source that a result names; of a research, the sources of its parts. Empty where it names none. */
function sourceOf({ source, parts }: Record<string, unknown>): { source?: string } {
  const all = Array.isArray(parts) ? [source, ...parts.map((part: { source?: unknown }) => part.source)] : [source]
  const named = new Set(all.filter((one): one is string => typeof one === 'string' && one !== ''))
  return named.size === 0 ? {} : { source: [...named].join(', ') }
}

/** The card of a quote, with the swap that it prices, or of a risk report; null for other results. */
async function cardOf(
  operation: string,
  { wallet_ref: wallet = usualWallet }: Record<string, unknown>,
  result: Record<string, unknown>,
  swapOf: SwapOf,
): Promise<StreamFacts | null> {
  if (operation === 'trading.quote') {
    const { data: quote } = operationOf(operation).output.safeParse(result)
    if (quote === undefined) return null
    // The tool has succeeded: a card without its swap is better than none.
    const swap = await swapOf(quote.quote_id).catch(() => null)
    return { event: 'quote_card', quote, ...(swap !== null && { swap }), wallet_ref: String(wallet) }
  }
  if (operation === 'trading.assessRisk') {
    const { data: risk } = operationOf(operation).output.safeParse(result)
    return risk === undefined ? null : { event: 'risk_card', risk }
  }
  return null
}

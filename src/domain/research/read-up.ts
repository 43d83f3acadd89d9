import type { ResearchCall } from '../intent/research-calls.ts'
import type { Ports } from '../ports/index.ts'
import type { ToolContext } from '../tools/tool-call.ts'
import { callTvl } from '../tools/tvl.ts'
import type { TvlNeeds } from '../tools/tvl-tools.ts'
import { type PartContext, queryPart } from './part.ts'
import { summaryOf } from './summary.ts'

/** Runs calls of the TVL provider side by side and returns their results in sentences. Throws the first error where all fail. */
export async function readUp(
  ports: Pick<Ports, TvlNeeds | 'clock'>,
  calls: readonly ResearchCall[],
  context: Omit<PartContext, 'clock'> & Pick<ToolContext, 'fail'>,
): Promise<string> {
  const { fail } = context
  const query = (call: ResearchCall) => (signal: AbortSignal) => callTvl(ports, call, { signal, fail })
  const outcomes = await Promise.all(
    calls.map((call) => queryPart({ part: call.tool_name, query: query(call) }, { ...context, clock: ports.clock })),
  )
  const [first] = outcomes
  if (first?.error && outcomes.every(({ error }) => error !== null)) throw first.error
  const found = outcomes.flatMap(({ value, report }) => (value === null ? [] : [{ result: value, report }]))
  return summaryOf({
    defi_results: found.map(({ result, report }) => ({ tool: report.part, result })),
    parts: [
      ...found.map(({ report }, index) => ({ ...report, part: `defi_results.${index}` })),
      ...outcomes.filter(({ error }) => error !== null).map(({ report }) => report),
    ],
  })
}

import type { ResearchCall } from '../intent/research-calls.ts'
import type { Ports } from '../ports/index.ts'
import { callTvl } from '../tools/invoke-tvl.ts'
import type { TvlNeeds } from '../tools/tvl-answers.ts'
import { askPart } from './part.ts'
import { summaryOf } from './summary.ts'

/** Asks the TVL provider side by side and answers what it said in sentences; where every call fails, the first one's error. */
export async function readUp(
  ports: Pick<Ports, TvlNeeds | 'clock'>,
  calls: readonly ResearchCall[],
  times: { signal: AbortSignal; deadline: AbortSignal },
): Promise<string> {
  const ask = (call: ResearchCall) => (signal: AbortSignal) => callTvl(ports, call, signal)
  const outcomes = await Promise.all(
    calls.map((call) => askPart({ part: call.tool_name, ask: ask(call) }, { ...times, clock: ports.clock })),
  )
  const [first] = outcomes
  if (first?.error && outcomes.every(({ error }) => error !== null)) throw first.error
  const answered = outcomes.flatMap(({ value, report }) => (value === null ? [] : [{ result: value, report }]))
  return summaryOf({
    defi_results: answered.map(({ result, report }) => ({ tool: report.part, result })),
    parts: [
      ...answered.map(({ report }, index) => ({ ...report, part: `defi_results.${index}` })),
      ...outcomes.filter(({ error }) => error !== null).map(({ report }) => report),
    ],
  })
}

import type { contract } from '../../contract/index.ts'
import { DomainError, invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import { timeLimit } from '../core/time-limit.ts'
import type { Findings } from '../ports/assistant.ts'
import type { Ports } from '../ports/index.ts'
import type { AnalyticsRun } from '../ports/providers.ts'
import type { Sourced } from '../ports/sourced.ts'
import { callTvl, presentTool } from '../tools/invoke-tvl.ts'
import type { TvlNeeds } from '../tools/tvl-answers.ts'
import { fingerprintOf } from '../values/fingerprint.ts'
import { askPart, failureOfAll, type Outcome, type PartReport, withError } from './part.ts'
import { questionsOf } from './questions.ts'

/** Milliseconds that all sources together have, and that a query of the analytics provider is waited for. */
const [deadlineMs, queryMs] = [20_000, 15_000]

/**
 * Asks every source of a request side by side and sums up what they said. A source that fails leaves the others whole;
 * where all fail, so does the request, with their reasons.
 */
export const preview: Handler<typeof contract.research.preview, TvlNeeds | 'assistant' | 'clock' | 'hashing'> = async (
  ports,
  input,
  call,
) => {
  const { subgraph, analytics, calls } = questionsOf(input)
  const { tvl: _tvl, ...providers } = ports.providers
  const times = { signal: call.signal, deadline: timeLimit(deadlineMs), clock: ports.clock }
  const [graph, run, ...tools] = await Promise.all([
    subgraph &&
      askPart({ part: 'graph_data', ask: (s) => providers.subgraphs.query(subgraph.address, subgraph, s) }, times),
    analytics &&
      askPart(
        {
          part: 'analytics_rows',
          ask: (signal) => providers.analytics.run(analytics.query, analytics.parameters, { waitMs: queryMs, signal }),
        },
        times,
      ),
    ...calls.map((tool, index) =>
      askPart({ part: `defi_results.${index}`, ask: (signal) => runTool(ports, tool, signal) }, times),
    ),
  ])
  const query = run && settled(run)
  const outcomes: Outcome<unknown>[] = [graph, query, ...tools].filter((outcome) => outcome !== null)
  const failure = failureOfAll(outcomes)
  if (failure !== null) throw failure
  const results = calls.map(
    ({ tool_name: tool }, index) => tools[index]?.value ?? failedTool(tool, tools[index]?.report),
  )
  const found = {
    ...(graph?.value ? { graph_data: graph.value } : {}),
    ...(query?.value ? analyticsFields(query.value) : {}),
    ...(calls.length === 0 ? {} : { defi_results: results }),
  }
  const parts = outcomes.map(({ report }) => report)
  const findings: Findings = { ...found, parts: parts.map(asInput) }
  return {
    ...found,
    summary: await ports.assistant.summarize(findings, { signal: call.signal, report: () => undefined }),
    // An empty list counts as absent, as it does on gRPC.
    summary_inputs_sha256: fingerprintOf(ports.hashing, {
      ...findings,
      ...(query?.value?.rows.length === 0 ? { analytics_rows: undefined } : {}),
    }),
    parts,
  }
}

/** As the outcome of a part, with the answer in the shape that callers get. */
async function runTool(ports: Pick<Ports, TvlNeeds>, tool: Parameters<typeof callTvl>[1], signal: AbortSignal) {
  const answer = await callTvl(ports, tool, signal)
  const shown: Sourced<ReturnType<typeof presentTool>> = { ...answer, value: presentTool(tool.tool_name, answer) }
  return shown
}

/** What of a report goes into a summary; how long it took and how old it is change with every answer. */
function asInput({ part, state, source, message }: PartReport): Findings['parts'][number] {
  return { part, state, ...(source === undefined ? {} : { source }), ...(message === undefined ? {} : { message }) }
}

/** Keeps the place of a tool that failed, so that the others stay in theirs. */
function failedTool(tool: string, report: PartReport | undefined) {
  return { tool, result: { error: { code: report?.code ?? 'INTERNAL', message: report?.message ?? '' } } }
}

function analyticsFields({ state, stage, rows }: AnalyticsRun) {
  return { analytics_state: state, ...(stage === 'completed' ? { analytics_rows: [...rows] } : {}) }
}

/** A run that was told of and brought no rows is a failure, whatever the transport says. */
function settled(outcome: Outcome<AnalyticsRun>): Outcome<AnalyticsRun> {
  const { report, value } = outcome
  if (value === null) return outcome
  const { state, stage, failure, truncated } = value
  const late = new DomainError('DEADLINE_EXCEEDED', `The query is still running (${state}); ask again.`)
  if (stage === 'running') return withError(outcome, late)
  const reason = `the query ended as ${state}${failure === null ? '' : `: ${failure}`}`
  if (stage === 'failed') return withError(outcome, invalid('analytics_query_id', reason))
  if (!truncated) return outcome
  return { ...outcome, report: { ...report, message: 'There are more rows than the 1000 answered.' } }
}

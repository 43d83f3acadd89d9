import type { contract } from '../../contract/index.ts'
import type { InputOf } from '../../contract/shared/operation.ts'
import { tvlTools } from '../../contract/tools/tvl-tool-table.ts'
import { type Fail, invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { ResearchCall } from '../intent/research-calls.ts'
import type { Findings } from '../ports/assistant.ts'
import type { Ports } from '../ports/index.ts'
import type { AnalyticsRun, Sourced } from '../ports/providers.ts'
import { checkedCall, presentTool, type ToolCall, type ToolContext } from '../tools/tool-call.ts'
import { callTvl, type TvlNeeds } from '../tools/tvl-tools.ts'
import { fingerprintOf } from '../values/fingerprint.ts'
import { failureOfAll, type Outcome, type PartContext, type PartReport, queryPart, withError } from './part.ts'
import { summaryOf } from './summary.ts'

/** The time of all sources together. */
const deadlineMs = 20_000
/** How long a query of the analytics provider may run. */
const queryMs = 15_000

/**
 * Queries every source of a request side by side and summarizes their results. The request fails only where all sources
 * fail, with their messages.
 */
export const preview: Handler<typeof contract.research.preview, TvlNeeds | 'assistant' | 'clock' | 'hashing'> = async (
  ports,
  input,
  call,
) => {
  const { subgraph, analytics, calls } = readQueries(input, call.fail)
  const { tvl: _tvl, ...providers } = ports.providers
  const { signal, fail } = call
  const context = { signal, deadline: ports.clock.limit(deadlineMs), clock: ports.clock, fail }
  const [graph, run, ...tools] = await Promise.all([
    subgraph &&
      queryPart(
        {
          part: 'graph_data',
          query: (signal) =>
            providers.subgraphs.query(subgraph.address, subgraph, { account: call.principal.userId, signal }),
        },
        context,
      ),
    analytics &&
      queryPart(
        {
          part: 'analytics_rows',
          query: (signal) =>
            providers.analytics.run(analytics.query, analytics.parameters, { waitMs: queryMs, signal }),
        },
        context,
      ),
    ...calls.map((tool, index) =>
      queryPart({ part: `defi_results.${index}`, query: (signal) => runTool(ports, tool, { signal, fail }) }, context),
    ),
  ])
  const query = run && settled(run, fail)
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
    summary: await ports.assistant.summarize(findings, { signal, report: () => undefined }),
    // An empty list counts as absent, as it does on gRPC.
    summary_inputs_sha256: fingerprintOf(ports.hashing, {
      ...findings,
      ...(query?.value?.rows.length === 0 ? { analytics_rows: undefined } : {}),
    }),
    parts,
  }
}

/** Runs a tool; its value is the result as callers receive it. */
async function runTool(
  ports: Pick<Ports, TvlNeeds>,
  tool: ToolCall,
  context: ToolContext,
): Promise<Sourced<ReturnType<typeof presentTool>>> {
  const result = await callTvl(ports, tool, context)
  return { ...result, value: presentTool(tool.tool_name, result) }
}

/** The fields of a report that a summary is made from: not latency and age, which change with every request. */
function asInput({ part, state, source, message }: PartReport): Findings['parts'][number] {
  return { part, state, ...(source === undefined ? {} : { source }), ...(message === undefined ? {} : { message }) }
}

/** The result of a tool that failed, so that the results keep the order of the calls. */
function failedTool(tool: string, report: PartReport | undefined) {
  return { tool, result: { error: { code: report?.code ?? 'INTERNAL', message: report?.message ?? '' } } }
}

function analyticsFields({ state, stage, rows }: AnalyticsRun) {
  return { analytics_state: state, ...(stage === 'completed' ? { analytics_rows: [...rows] } : {}) }
}

/** A query that still runs or that failed is a failure, though its provider responded. */
function settled(outcome: Outcome<AnalyticsRun>, fail: Fail<'DEADLINE_EXCEEDED'>): Outcome<AnalyticsRun> {
  const { report, value } = outcome
  if (value === null) return outcome
  const { state, stage, failure, truncated } = value
  if (stage === 'running')
    return withError(outcome, fail('DEADLINE_EXCEEDED', `The query is still running (${state}). Request it again.`))
  const reason = `the query ended as ${state}${failure === null ? '' : `: ${failure}`}`
  if (stage === 'failed') return withError(outcome, invalid('analytics_query_id', reason))
  if (!truncated) return outcome
  return { ...outcome, report: { ...report, message: 'The query has more than the 1000 rows that are returned.' } }
}

type ResearchInput = InputOf<typeof contract.research.preview>

/** The queries of a request, by group; null where a group was not sent. */
type Queries = {
  subgraph: { address: string; query: string; variables: Record<string, unknown> } | null
  analytics: { query: number; parameters: Record<string, string | number> } | null
  calls: readonly ToolCall[]
}

/** Reads the groups of a request. INVALID_ARGUMENT names a field that requires another one, or an invalid call. */
function readQueries(input: ResearchInput, fail: Fail<'INVALID_ARGUMENT'>): Queries {
  const { subgraph, gql, variables, analytics_query_id: query, analytics_params: parameters } = input
  if (subgraph !== undefined && gql === undefined) throw invalid('gql', 'is required with subgraph')
  if (gql !== undefined && subgraph === undefined)
    throw invalid(
      'subgraph',
      'is required with gql; trading.listChains returns the address of the sandbox as subgraph_url',
    )
  if (variables !== undefined && gql === undefined) throw invalid('gql', 'is required with variables')
  if (parameters !== undefined && query === undefined)
    throw invalid('analytics_query_id', 'is required with analytics_params')
  if (input.pools_limit !== undefined && input.pools_chain === undefined)
    throw invalid('pools_chain', 'is required with pools_limit')
  const calls = callsOf(input, fail)
  if (subgraph === undefined && query === undefined && calls.length === 0)
    throw invalid(
      '',
      'requests nothing: send subgraph with gql, analytics_query_id, defi_calls, tvl_chain, price_symbol or pools_chain',
    )
  return {
    subgraph:
      subgraph === undefined || gql === undefined
        ? null
        : { address: subgraph, query: gql, variables: variables ?? {} },
    analytics: query === undefined ? null : { query, parameters: parameters ?? {} },
    calls,
  }
}

/** The calls of the tool group: those of `defi_calls` first, then those with a field of their own. */
function callsOf(input: ResearchInput, fail: Fail<'INVALID_ARGUMENT'>): ToolCall[] {
  const { defi_calls: listed = [], tvl_chain, price_symbol, pools_chain, pools_limit } = input
  for (const [index, call] of listed.entries()) checkedCall(tvlTools, call, fail, { path: `defi_calls.${index}.` })
  const limit = pools_limit === undefined ? {} : { limit: pools_limit }
  return [
    ...listed,
    ...(tvl_chain === undefined ? [] : [{ tool_name: 'tvl_get', arguments: { chain: tvl_chain } }]),
    ...(price_symbol === undefined ? [] : [{ tool_name: 'token_price', arguments: { token: price_symbol } }]),
    ...(pools_chain === undefined ? [] : [{ tool_name: 'pools_list', arguments: { chain: pools_chain, ...limit } }]),
  ]
}

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

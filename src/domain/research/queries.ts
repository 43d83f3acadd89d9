import type { contract } from '../../contract/index.ts'
import type { InputOf } from '../../contract/shared/operation.ts'
import { tvlTools } from '../../contract/tools/tvl-tool-table.ts'
import { type Fail, invalid } from '../core/errors.ts'
import { checkedCall, type ToolCall } from '../tools/tool-call.ts'

export type ResearchInput = InputOf<typeof contract.research.preview>

/** The queries of a request, by group; null where a group was not sent. */
export type Queries = {
  subgraph: { address: string; query: string; variables: Record<string, unknown> } | null
  analytics: { query: number; parameters: Record<string, string | number> } | null
  calls: readonly ToolCall[]
}

/** Reads the groups of a request. INVALID_ARGUMENT names a field that requires another one, or an invalid call. */
export function readQueries(input: ResearchInput, fail: Fail<'INVALID_ARGUMENT'>): Queries {
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

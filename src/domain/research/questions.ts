import type { contract } from '../../contract/index.ts'
import type { InputOf } from '../../contract/shared/operation.ts'
import { tvlTools } from '../../contract/tools/tvl-tool-table.ts'
import { invalid } from '../core/errors.ts'
import type { ToolCall } from '../tools/checked-call.ts'
import { checkedCall } from '../tools/checked-call.ts'

export type ResearchInput = InputOf<typeof contract.research.preview>

/** What a request asks, group by group; null where a group was not sent. */
export type Questions = {
  subgraph: { address: string; query: string; variables: Record<string, unknown> } | null
  analytics: { query: number; parameters: Record<string, string | number> } | null
  calls: readonly ToolCall[]
}

/** Reads the groups of a request. INVALID_ARGUMENT names the field that lacks its partner, or the call that is wrong. */
export function questionsOf(input: ResearchInput): Questions {
  const { subgraph, gql, variables, analytics_query_id: query, analytics_params: parameters } = input
  if (subgraph !== undefined && gql === undefined) throw invalid('gql', 'is required with subgraph')
  if (gql !== undefined && subgraph === undefined)
    throw invalid('subgraph', 'is required with gql; listChains tells the address of the sandbox as subgraph_url')
  if (variables !== undefined && gql === undefined) throw invalid('gql', 'is required with variables')
  if (parameters !== undefined && query === undefined)
    throw invalid('analytics_query_id', 'is required with analytics_params')
  if (input.pools_limit !== undefined && input.pools_chain === undefined)
    throw invalid('pools_chain', 'is required with pools_limit')
  const calls = callsOf(input)
  if (subgraph === undefined && query === undefined && calls.length === 0)
    throw invalid(
      '',
      'asks nothing: send subgraph with gql, analytics_query_id, defi_calls, tvl_chain, price_symbol or pools_chain',
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

/** The calls of the tool group: those of `defi_calls` first, then those that have a field of their own. */
function callsOf(input: ResearchInput): ToolCall[] {
  const { defi_calls: listed = [], tvl_chain, price_symbol, pools_chain, pools_limit } = input
  for (const [index, call] of listed.entries()) checkedCall(tvlTools, call, `defi_calls.${index}.`)
  const limit = pools_limit === undefined ? {} : { limit: pools_limit }
  return [
    ...listed,
    ...(tvl_chain === undefined ? [] : [{ tool_name: 'tvl_get', arguments: { chain: tvl_chain } }]),
    ...(price_symbol === undefined ? [] : [{ tool_name: 'token_price', arguments: { token: price_symbol } }]),
    ...(pools_chain === undefined ? [] : [{ tool_name: 'pools_list', arguments: { chain: pools_chain, ...limit } }]),
  ]
}

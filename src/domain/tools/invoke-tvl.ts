import type { contract } from '../../contract/index.ts'
import { tvlTools } from '../../contract/tools/tvl-tool-table.ts'
import type { Handler } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'
import type { Sourced } from '../ports/sourced.ts'
import { checkedCall, type ToolCall } from './checked-call.ts'
import { type TvlNeeds, tvlAnswers } from './tvl-answers.ts'

/** Calls a tool of the TVL provider and says whose answer it is. */
export const invokeTvl: Handler<typeof contract.tools.invokeTvl, TvlNeeds> = async (ports, input, call) =>
  presentTool(input.tool_name, await callTvl(ports, input, call.signal))

/** Runs a call of a tool of the TVL provider; `path` is where the call lies in the request, with a dot at its end. */
export async function callTvl(
  ports: Pick<Ports, TvlNeeds>,
  call: ToolCall,
  signal: AbortSignal,
  path = '',
): Promise<Sourced<Record<string, unknown>>> {
  const { name, data } = checkedCall(tvlTools, call, path)
  return await tvlAnswers[name](ports, data as never, signal) // its schema has just made the data
}

/** A tool's answer as callers get it. */
export function presentTool(tool: string, { value, source, ageMs, latencyMs }: Sourced<Record<string, unknown>>) {
  return { tool, result: value, source, age_ms: ageMs, latency_ms: latencyMs }
}

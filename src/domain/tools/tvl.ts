import type { contract } from '../../contract/index.ts'
import { describeTools } from '../../contract/tools/tool-table.ts'
import { tvlTools } from '../../contract/tools/tvl-tool-table.ts'
import type { Handler } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'
import type { Sourced } from '../ports/providers.ts'
import { checkedCall, presentTool, type ToolCall, type ToolContext } from './tool-call.ts'
import { runTvlTool, type TvlNeeds } from './tvl-tools.ts'

/** The tools of the TVL provider with the schemas of their arguments. */
export const listTvl: Handler<typeof contract.tools.listTvl> = async () => ({ tools: describeTools(tvlTools) })

/** Calls a tool of the TVL provider and names the source. */
export const invokeTvl: Handler<typeof contract.tools.invokeTvl, TvlNeeds> = async (ports, input, call) =>
  presentTool(input.tool_name, await callTvl(ports, input, call))

/** Checks and runs a call of a tool of the TVL provider. */
export async function callTvl(
  ports: Pick<Ports, TvlNeeds>,
  call: ToolCall,
  context: ToolContext,
): Promise<Sourced<Record<string, unknown>>> {
  const { name, data } = checkedCall(tvlTools, call, context.fail)
  return await runTvlTool[name](ports, data as never, context) // checked by the tool's schema
}

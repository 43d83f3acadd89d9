import { type OperationId, operationOf } from '../index.ts'
import type { Scope } from '../shared/grants.ts'
import type { Operation } from '../shared/operation.ts'
import { readingTools } from './reading-tools.ts'
import type { AgentTool } from './tool.ts'
import { tradingTools } from './trading-tools.ts'

const { find_token, ...reading } = readingTools

/** The tools of MCP, in the order in which they are listed. */
export const agentTools = { find_token, ...tradingTools, ...reading }

export type ToolName = keyof typeof agentTools

const byName = new Map<string, AgentTool>(Object.entries(agentTools))

/** True for the name of a tool; checks names from outside. */
export function isToolName(name: string): name is ToolName {
  return byName.has(name)
}

/** The tool that serves an operation; null for an operation that has none of its own. `simulate` is a part of `trade`. */
export function toolServing(id: OperationId): ToolName | null {
  const [name] = Object.entries<AgentTool>(agentTools).findLast(([, { serves }]) => serves.includes(id)) ?? []
  return name === undefined ? null : (name as ToolName)
}

/** What a session must be allowed to do to be shown a tool: as its operations say, and read where they say nothing. */
export function scopesOf(name: ToolName): readonly Scope[] {
  const scopes = agentToolOf(name).serves.map((id) => (operationOf(id) as Operation).scope ?? 'read')
  return scopes.length === 0 ? ['read'] : scopes.filter((scope) => scope !== 'none')
}

/** The declaration of a tool. */
export function agentToolOf(name: ToolName): AgentTool {
  return byName.get(name) as AgentTool
}

import { marketData } from '../../../contract/agents/reading-tools.ts'
import { toolServing } from '../../../contract/agents/tools.ts'
import { isOperationId, type OperationId, operationOf, operations } from '../../../contract/index.ts'
import { nearestName } from '../../../contract/shared/nearest-name.ts'
import type { Operation } from '../../../contract/shared/operation.ts'
import { schemaOf } from '../../../contract/tools/tool-table.ts'
import { invalid } from '../../../domain/core/errors.ts'

/** What a tool calls by its name: an operation, a read of a provider or a method of the chain. */
export type Named = {
  name: string
  tool: 'call_operation' | 'market_data' | 'read_chain'
  id: OperationId
  summary: string
  /** The JSON Schema of what it takes. */
  input: () => Record<string, unknown>
}

/** All that can be called by name, in the order of the contract. */
export const allNamed: readonly Named[] = [
  ...operations().flatMap(callable),
  ...Object.entries(marketData).flatMap(data),
]

const byName = new Map(allNamed.flatMap((each) => [each.name, ...aliasesOf(each)].map((name) => [name, each])))

/** The other names of a method of the chain. */
function aliasesOf({ id }: Named): readonly string[] {
  const { rpc }: Operation = operationOf(id)
  return rpc?.aliases ?? []
}

function callable([id, { mcp, rpc, summary, input }]: readonly [OperationId, Operation]): Named[] {
  if (mcp !== 'call') return []
  const place =
    rpc === undefined
      ? { name: id, tool: 'call_operation' as const }
      : { name: rpc.method, tool: 'read_chain' as const }
  return [{ ...place, id, summary, input: () => schemaOf(input) }]
}

function data([id, table]: [string, (typeof marketData)[keyof typeof marketData]]): Named[] {
  return Object.entries(table).map(([name, tool]) => ({
    name,
    tool: 'market_data',
    id: id as OperationId, // a key of marketData
    summary: tool.description,
    input: () => schemaOf(tool.arguments),
  }))
}

/** What a tool calls by a name. Throws INVALID_ARGUMENT that says what else the name may be. */
export function named(tool: Named['tool'], field: string, name: string): Named {
  const found = byName.get(name)
  if (found?.tool === tool) return found
  throw invalid(field, `${tool} calls nothing of this name; ${adviceFor(tool, name)}`, 'unknown_name')
}

function adviceFor(tool: Named['tool'], name: string): string {
  const other = byName.get(name)
  if (other !== undefined) return `it is called by ${other.tool}`
  if (isOperationId(name)) {
    const own = toolServing(name)
    return own === null ? 'it is closed to agents' : `its tool is ${own}`
  }
  const names = allNamed.filter((each) => each.tool === tool).map((each) => each.name)
  const near = nearestName(name, names)
  return near === null ? 'search_operations finds names' : `did you mean ${near}?`
}

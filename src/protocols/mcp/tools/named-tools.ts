import { marketData } from '../../../contract/agents/reading-tools.ts'
import { isOperationId, type OperationId, operationOf, operations } from '../../../contract/index.ts'
import { nearestName } from '../../../contract/shared/nearest-name.ts'
import type { Operation, RpcBinding } from '../../../contract/shared/operation.ts'
import { schemaOf } from '../../../contract/tools/tool-table.ts'
import { DomainError } from '../../../domain/core/errors.ts'
import { fieldsByName, fieldsByPosition } from '../../rpc-fields.ts'
import { wholeOrPiece } from './answer.ts'
import type { Tool } from './run.ts'

/** The tools that call what they are given by name, and the one that finds names. */

/** What can be called by name. */
type Named = {
  tool: 'call_operation' | 'market_data' | 'read_chain'
  id: OperationId
  summary: string
  input: () => Record<string, unknown>
}

const named: ReadonlyMap<string, Named> = new Map([...callable(), ...data()])

function callable() {
  return operations().flatMap(([id, operation]: readonly [OperationId, Operation]): [string, Named][] => {
    if (operation.mcp !== 'call') return []
    const { rpc, summary, input } = operation
    const row = { id, summary, input: () => schemaOf(input) }
    return [rpc === undefined ? [id, { ...row, tool: 'call_operation' }] : [rpc.method, { ...row, tool: 'read_chain' }]]
  })
}

function data() {
  return Object.entries(marketData).flatMap(([id, table]) =>
    Object.entries(table).map(([name, tool]): [string, Named] => [
      name,
      { tool: 'market_data', id: id as OperationId, summary: tool.description, input: () => schemaOf(tool.arguments) },
    ]),
  )
}

export const searchOperations: Tool<'search_operations'> = async ({ query, limit }) => {
  const words = wordsOf(query).map((word) => ({ word, weight: weightOf(word) }))
  const best = [...named]
    .map(([name, row]) => ({ name, ...row, score: scoreOf(words, name, row.summary) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
  return {
    found: best.slice(0, limit).map(({ name, tool, summary, input }) => ({ name, tool, summary, input: input() })),
  }
}

/** The words of a text without their plural; `getBlockByNumber` has three. */
function wordsOf(text: string): string[] {
  const parts =
    text
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z0-9]{3,}/g) ?? []
  return parts.map((word) => (word.length > 3 ? word.replace(/s$/, '') : word))
}

/** A word that few of the names and summaries have says more than one that many have. */
function weightOf(word: string): number {
  const having = [...named].filter(([name, { summary }]) => wordsOf(`${name} ${summary}`).includes(word)).length
  return having === 0 ? 0 : Math.log((named.size + 1) / having)
}

/** The weights of the words that a name or a summary has; those of a name count half as much again. */
function scoreOf(words: readonly { word: string; weight: number }[], name: string, summary: string): number {
  const [inName, inSummary] = [wordsOf(name), wordsOf(summary)]
  const times = (word: string) => (inName.includes(word) ? 1.5 : inSummary.includes(word) ? 1 : 0)
  return words.reduce((sum, { word, weight }) => sum + weight * times(word), 0)
}

export const callOperation: Tool<'call_operation'> = async ({ operation, input = {}, cursor }, { callNamed }) => {
  const { id } = find('call_operation', 'operation', operation)
  return wholeOrPiece(await callNamed(id, input), cursor)
}

export const marketDataOf: Tool<'market_data'> = async ({ name, arguments: given = {}, cursor }, { callNamed }) => {
  const { id } = find('market_data', 'name', name)
  return wholeOrPiece(await callNamed(id, { tool_name: name, arguments: given }), cursor)
}

export const readChain: Tool<'read_chain'> = async ({ method, params = [], cursor }, { callNamed }) => {
  const { id } = find('read_chain', 'method', method)
  const { rpc }: Operation = operationOf(id)
  const fields = Array.isArray(params)
    ? fieldsByPosition(rpc as RpcBinding, params)
    : fieldsByName(rpc as RpcBinding, params)
  return wholeOrPiece(await callNamed(id, fields), cursor)
}

export const research: Tool<'research'> = async ({ cursor, ...input }, { call }) =>
  wholeOrPiece(await call('research.preview', () => input), cursor)

export const bridgeStatus: Tool<'bridge_status'> = async (fields, { call }) =>
  await call('chain.bridgeStatus', () => fields)

/** What a tool may call by a name. Throws INVALID_ARGUMENT that says what else the name may be. */
function find(tool: Named['tool'], field: string, name: string): Named {
  const found = named.get(name)
  if (found?.tool === tool) return found
  const near = nearestName(
    name,
    [...named].filter(([, row]) => row.tool === tool).map(([each]) => each),
  )
  const advice =
    found !== undefined
      ? `; it is called by ${found.tool}`
      : near !== null
        ? `; did you mean ${near}?`
        : isOperationId(name)
          ? '; agents do not call it'
          : '; search_operations finds names'
  const message = `${tool} calls nothing of this name${advice}`
  throw new DomainError('INVALID_ARGUMENT', `${field}: ${message}`, {
    violations: [{ path: field, message, code: 'unknown_name' }],
  })
}

import type { InputRequiredResult } from '@modelcontextprotocol/server'
import { agentToolOf, isToolName, type ToolName } from '../../../contract/agents/tools.ts'
import type { ErrorCode } from '../../../contract/shared/errors.ts'
import { nearestName } from '../../../contract/shared/nearest-name.ts'
import { DomainError, unexpectedError } from '../../../domain/core/errors.ts'
import type { Agent } from '../../../gateway/gateway.ts'
import type { ReadByParts } from '../../../gateway/request.ts'
import { bridgeStatus, executions, findToken, positions, profit } from './account-tools.ts'
import { type Answer, answerOf } from './answer.ts'
import { type Dialogue, Question } from './dialogue.ts'
import { meantBy } from './given.ts'
import { callOperation, marketDataOf, readChain, research } from './named-tools.ts'
import { refusalOf } from './refusal.ts'
import type { Tool, ToolRun, Words } from './run.ts'
import { searchOperations } from './search-tool.ts'
import { assessRisk, quote, simulate } from './swap-tools.ts'
import { trade } from './trade-tool.ts'

/** Every tool; one that is missing or has the wrong shape does not compile. */
const tools: { [Name in ToolName]: Tool<Name> } = {
  find_token: findToken,
  quote,
  assess_risk: assessRisk,
  simulate,
  trade,
  positions,
  profit,
  executions,
  research,
  market_data: marketDataOf,
  read_chain: readChain,
  bridge_status: bridgeStatus,
  search_operations: searchOperations,
  call_operation: callOperation,
}

/** A tool without its types, as calls reach it; the table above has checked them. */
type AnyTool = (fields: unknown, run: ToolRun) => Promise<object>

export type ToolCaller = {
  agent: Agent
  words: Words
  dialogue: Dialogue
  newId(): string
  requestId: string
  unexpected(event: { operation: string; requestId: string; error: unknown }): void
}

/** Calls a tool of any name with any arguments. It is counted at least once; a refusal is an answer, and nothing is thrown. */
export async function callTool(
  caller: ToolCaller,
  name: string,
  given: unknown,
): Promise<Answer | InputRequiredResult> {
  const { agent, words, dialogue, newId } = caller
  let isCounted = false
  const call = async (id: string, read: ReadByParts) => {
    isCounted = true
    const returned = await agent.call(id, read)
    if (!returned.ok) throw returned.error
    return returned
  }
  const run: ToolRun = {
    overMcp: agent.grant.overMcp,
    words,
    dialogue,
    newId,
    // The outputs of the gateway are those of the contract.
    call: async (id, read) => (await call(id, read as ReadByParts)).output as never,
    async callNamed(id, input) {
      const { output, headers } = await call(id, () => input)
      return { output, ignored: headers['x-ignored-fields'] }
    },
  }
  const { answer, code } = await answered(caller, name, given, run)
  if (isCounted) return answer
  const counted = await agent.count(`mcp.${isToolName(name) ? name : 'unknown'}`, code)
  return counted.ok ? answer : refusalOf(counted.error, null)
}

async function answered(
  caller: ToolCaller,
  name: string,
  given: unknown,
  run: ToolRun,
): Promise<{ answer: Answer | InputRequiredResult; code: ErrorCode | 'OK' }> {
  const { agent, requestId, unexpected } = caller
  try {
    if (!isToolName(name)) throw unknownTool(name)
    const { input, output, values, quotes = false } = agentToolOf(name)
    const value = await (tools[name] as AnyTool)(agent.parse(input, meantBy(input, given), values), run)
    const answer = value instanceof Question ? value.result : answerOf(output.parse(value), quotes)
    return { answer, code: 'OK' }
  } catch (thrown) {
    const known = thrown instanceof DomainError ? thrown : unexpectedError(requestId, thrown)
    if (known !== thrown) unexpected({ operation: `mcp.${name}`, requestId, error: thrown })
    const called = isToolName(name) ? { name, tool: agentToolOf(name) } : null
    return { answer: refusalOf(known, called), code: known.code }
  }
}

function unknownTool(name: string): DomainError {
  const names = Object.keys(tools)
  const near = nearestName(name, names)
  const advice = near === null ? `the tools are ${names.join(', ')}` : `did you mean ${near}?`
  return new DomainError('NOT_FOUND', `There is no tool of this name; ${advice}`)
}

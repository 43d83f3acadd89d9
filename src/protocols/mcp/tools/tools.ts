import type { InputRequiredResult } from '@modelcontextprotocol/server'
import { agentToolOf, isToolName, type ToolName } from '../../../contract/agents/tools.ts'
import type { ErrorCode } from '../../../contract/shared/errors.ts'
import { DomainError, unexpectedError } from '../../../domain/core/errors.ts'
import type { Agent } from '../../../gateway/gateway.ts'
import type { ReadInput } from '../../../gateway/request.ts'
import { executions, findToken, positions, profit } from './account-tools.ts'
import { type Answer, answerOf, refusalOf } from './answer.ts'
import { type Dialogue, Question } from './dialogue.ts'
import { bridgeStatus, callOperation, marketDataOf, readChain, research, searchOperations } from './named-tools.ts'
import type { Tool, ToolRun, Words } from './run.ts'
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
  requestId: string
  unexpected(event: { operation: string; requestId: string; error: unknown }): void
}

/** Calls a tool of any name with any arguments. It is counted at least once; a refusal is an answer, and nothing is thrown. */
export async function callTool(
  caller: ToolCaller,
  name: string,
  given: unknown,
): Promise<Answer | InputRequiredResult> {
  const { agent, words, dialogue } = caller
  let isCounted = false
  const call = async (id: string, read: ReadInput): Promise<unknown> => {
    isCounted = true
    const returned = await agent.call(id, read)
    if (!returned.ok) throw returned.error
    return returned.output
  }
  // The outputs of the gateway are those of the contract.
  const run: ToolRun = {
    words,
    dialogue,
    call: async (id, read) => (await call(id, read)) as never,
    callNamed: (id, input) => call(id, () => input),
  }
  const { answer, code } = await answered(caller, name, given, run)
  if (isCounted) return answer
  const counted = await agent.count(`mcp.${isToolName(name) ? name : 'unknown'}`, code)
  return counted.ok ? answer : refusalOf(counted.error, false)
}

async function answered(
  caller: ToolCaller,
  name: string,
  given: unknown,
  run: ToolRun,
): Promise<{ answer: Answer | InputRequiredResult; code: ErrorCode | 'OK' }> {
  const { agent, requestId, unexpected } = caller
  try {
    if (!isToolName(name)) throw new DomainError('NOT_FOUND', 'There is no tool of this name. tools/list has them.')
    const { input, output, quotes = false } = agentToolOf(name)
    const value = await (tools[name] as AnyTool)(agent.parse(input, given), run)
    const answer = value instanceof Question ? value.result : answerOf(output.parse(value), quotes)
    return { answer, code: 'OK' }
  } catch (thrown) {
    const known = thrown instanceof DomainError ? thrown : unexpectedError(requestId, thrown)
    if (known !== thrown) unexpected({ operation: `mcp.${name}`, requestId, error: thrown })
    const quotes = isToolName(name) && agentToolOf(name).quotes === true
    return { answer: refusalOf(known, quotes), code: known.code }
  }
}

import { dynamicTool, jsonSchema, type ModelMessage, type ToolSet } from 'ai'
import type { AssistantRequest, AssistantTool, Team, Teams } from '../../domain/ports/assistant.ts'
import { fitHistory, inTurns, tokensOf } from './fit-history.ts'
import { modelTools, refusal } from './model-tools.ts'

/** The most estimated tokens of one result of a tool. */
const resultTokens = 4_000

/** Added to the instructions of the last step. */
const lastInstruction = 'Answer now from what you have. You can call no more tools.'

/** One request to the model. */
type Step = { instructions: string; activeTools: string[]; messages: ModelMessage[] }

/** One answer: its team, its tools, and the part of the conversation that the model receives. */
export type Turn = {
  tools: ToolSet
  /** The next request; `written` holds the messages of the model and its tools in this answer so far. */
  next(written: readonly ModelMessage[], isLast: boolean): Step
}

/** Opens the turn of a message with its first team. */
export function openTurn(
  request: AssistantRequest,
  { teams, contextTokens, failed }: { teams: Teams; contextTokens: number; failed: (error: unknown) => void },
): Turn {
  const { history, text, tools } = request
  const handOver = openHandOver(teams, request)
  // Results take half of the context at most. The other half is for the prompt, the tools and the message.
  const bounds = { one: resultTokens, all: Math.floor(contextTokens / 2) }
  return {
    tools: { ...modelTools(tools.values(), bounds, failed), ...handOver.tools },
    next(written, isLast) {
      const { prompt, operations } = handOver.team()
      const used = [...tools.values()].filter(({ operation }) => operations.some((id) => id === operation))
      const fixed = [prompt, JSON.stringify(used.map(declared)), text, JSON.stringify(written)]
      const room = contextTokens - fixed.reduce((sum, part) => sum + tokensOf(part), 0)
      return {
        instructions: isLast ? `${prompt}\n${lastInstruction}` : prompt,
        activeTools: [...used.map(({ name }) => name), ...(handOver.isOpen() ? Object.keys(handOver.tools) : [])],
        messages: [
          ...inTurns([...fitHistory(history, room), { role: 'user', content: text }]),
          ...written.map(withOwnRefusal),
        ],
      }
    },
  }
}

function declared({ name, description, inputSchema }: AssistantTool) {
  return { name, description, inputSchema }
}

/** Replaces the library's message about a call that no tool accepts. */
function withOwnRefusal(message: ModelMessage): ModelMessage {
  if (message.role !== 'tool') return message
  const content = message.content.map((part) =>
    part.type === 'tool-result' && part.output.type === 'error-text' ? { ...part, output: noSuchCall } : part,
  )
  return { ...message, content }
}

const noSuchCall = {
  type: 'text' as const,
  value: refusal('NOT_FOUND', 'Call one of your tools, with arguments in JSON.'),
}

/** The most hand-overs in one answer. */
const mostHandOvers = 2

/** The team that has the conversation, and the tool with which it hands it over while that is allowed. */
type HandOver = { team(): Team; tools: ToolSet; isOpen(): boolean }

/** Starts with the first team of the message. */
function openHandOver({ all, first }: Teams, { text, history }: AssistantRequest): HandOver {
  let team = first(text, history)
  let remaining = mostHandOvers
  const execute = async (input: unknown) => {
    const next = all.find(({ name }) => name === teamIn(input))
    if (next === undefined || next === team) return refusal('INVALID_ARGUMENT', 'Name another team.')
    if (remaining === 0) return refusal('LIMIT_EXCEEDED', 'No more hand-overs are allowed. Answer yourself.')
    remaining -= 1
    team = next
    return JSON.stringify({ data: { team: team.name } })
  }
  const works = all.map(({ name, work }) => `${name}: ${work}`).join('; ')
  const description = `Hands the conversation over to another team, which answers in place of yours. ${works}`
  const inputSchema = jsonSchema({
    type: 'object',
    properties: {
      team: { type: 'string', enum: all.map(({ name }) => name) },
      reason: { type: 'string', maxLength: 200, description: 'Why it is theirs, in a sentence that they read' },
    },
    required: ['team', 'reason'],
    additionalProperties: false,
  })
  const tools = { hand_over: dynamicTool({ description, inputSchema, execute }) }
  return { team: () => team, tools, isOpen: () => remaining > 0 }
}

function teamIn(input: unknown): unknown {
  return typeof input === 'object' && input !== null && 'team' in input ? input.team : undefined
}

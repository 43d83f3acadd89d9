import { dynamicTool, jsonSchema, type ModelMessage, type ToolSet } from 'ai'
import type { ErrorCode } from '../../contract/shared/errors.ts'
import { DomainError } from '../../domain/core/errors.ts'
import type { AssistantRequest, AssistantTool, Team, Teams } from '../../domain/ports/assistant.ts'
import { sentBack } from './answer-text.ts'
import { fitHistory, inTurns, tokensOf } from './fit-history.ts'

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
          ...written.map(sentBack).map(withOwnRefusal),
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

/** The most estimated tokens of one result, and of all results of one answer. */
type ResultBounds = { one: number; all: number }

/**
 * The domain's tools in the form of the model library. A result is JSON with `data`, or `error` with a code and a message;
 * a long one is cut, with a note. `failed` is called with unexpected errors.
 */
export function modelTools(
  tools: Iterable<AssistantTool>,
  bounds: ResultBounds,
  failed: (error: unknown) => void,
): ToolSet {
  let remaining = bounds.all
  const entries = [...tools].map((tool) => {
    const { name, description, inputSchema } = tool
    const execute = async (input: unknown) => {
      const answer = await answerOf(tool, input, failed)
      const shown = shortened(answer, Math.min(bounds.one, remaining))
      remaining = Math.max(0, remaining - tokensOf(shown))
      return shown
    }
    return [name, dynamicTool({ description, inputSchema: jsonSchema(inputSchema), execute })] as const
  })
  return Object.fromEntries(entries)
}

async function answerOf(tool: AssistantTool, input: unknown, failed: (error: unknown) => void): Promise<string> {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return refusal('INVALID_ARGUMENT', 'The arguments must be a JSON object.')
  try {
    return JSON.stringify({ data: await tool.run({ ...input }) })
  } catch (error) {
    if (error instanceof DomainError && error.code !== 'INTERNAL') return refusal(error.code, error.message)
    failed(error)
    return refusal('INTERNAL', 'The tool failed. Continue without it.')
  }
}

/** The error of a tool as the model receives it. */
function refusal(code: ErrorCode, message: string): string {
  return JSON.stringify({ error: { code, message } })
}

function shortened(text: string, tokens: number): string {
  if (tokensOf(text) <= tokens) return text
  const bytes = Buffer.from(text)
  const most = tokens * 3
  return `Only the first ${most} of ${bytes.length} bytes of this result are shown; request less.\n${bytes.subarray(0, most)}`
}

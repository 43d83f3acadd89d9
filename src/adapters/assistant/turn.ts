import type { ModelMessage, ToolSet } from 'ai'
import type { AssistantRequest, AssistantTool } from '../../domain/ports/assistant.ts'
import type { Teams } from '../../domain/ports/teams.ts'
import { fitHistory, inTurns, tokensOf } from './fit-history.ts'
import { openHandOver } from './hand-over.ts'
import { modelTools, refusal } from './model-tools.ts'

/** Estimated tokens of one result of a tool. */
const resultTokens = 4_000

/** The model is told so where none of its steps is left but this one. */
const lastWords = 'Answer now from what you have: no tool that you call from here on is heard.'

/** What one request to the model holds. */
export type Step = { instructions: string; activeTools: string[]; messages: ModelMessage[] }

/** One answer as it is made: which team writes it, with what tools, and what of the conversation it is shown. */
export type Turn = {
  tools: ToolSet
  /** The next request; `said` is what the model and its tools said in this answer so far. */
  next(said: readonly ModelMessage[], isLast: boolean): Step
}

/** Opens a turn with the team that the message goes to; hand-overs go on from there. */
export function openTurn(
  request: AssistantRequest,
  { teams, contextTokens, failed }: { teams: Teams; contextTokens: number; failed: (error: unknown) => void },
): Turn {
  const { history, text, tools } = request
  const handOver = openHandOver(teams, request)
  // Half of the room for results leaves the other half for the prompt, the tools and the question.
  const bounds = { one: resultTokens, all: Math.floor(contextTokens / 2) }
  return {
    tools: { ...modelTools(tools.values(), bounds, failed), ...handOver.tools },
    next(said, isLast) {
      const { prompt, operations } = handOver.team()
      const used = [...tools.values()].filter(({ operation }) => operations.some((id) => id === operation))
      const fixed = [prompt, JSON.stringify(used.map(declared)), text, JSON.stringify(said)]
      const room = contextTokens - fixed.reduce((sum, part) => sum + tokensOf(part), 0)
      return {
        instructions: isLast ? `${prompt}\n${lastWords}` : prompt,
        activeTools: [...used.map(({ name }) => name), ...(handOver.isOpen() ? Object.keys(handOver.tools) : [])],
        messages: [
          ...inTurns([...fitHistory(history, room), { role: 'user', content: text }]),
          ...said.map(inOwnWords),
        ],
      }
    },
  }
}

function declared({ name, description, inputSchema }: AssistantTool) {
  return { name, description, inputSchema }
}

/** What the library says of a call that no tool took is put in words of ours. */
function inOwnWords(message: ModelMessage): ModelMessage {
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

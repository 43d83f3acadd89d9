import { dynamicTool, jsonSchema, type ToolSet } from 'ai'
import type { AssistantRequest, Team, Teams } from '../../domain/ports/assistant.ts'
import { refusal } from './model-tools.ts'

/** The most hand-overs in one answer. */
const mostHandOvers = 2

/** The team that has the conversation, and the tool with which it hands it over while that is allowed. */
export type HandOver = { team(): Team; tools: ToolSet; isOpen(): boolean }

/** Starts with the first team of the message. */
export function openHandOver({ all, first }: Teams, { text, history }: AssistantRequest): HandOver {
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

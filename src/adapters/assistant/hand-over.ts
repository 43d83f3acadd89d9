import { dynamicTool, jsonSchema, type ToolSet } from 'ai'
import type { AssistantRequest } from '../../domain/ports/assistant.ts'
import type { Team, Teams } from '../../domain/ports/teams.ts'
import { refusal } from './model-tools.ts'

/** The most hand-overs in one answer. */
const mostHandOvers = 2

/** Which team has the conversation, and the tool by which it passes it on while it may. */
export type HandOver = { team(): Team; tools: ToolSet; isOpen(): boolean }

/** Gives the conversation to the team that the message goes to first. */
export function openHandOver({ all, first }: Teams, { text, history }: AssistantRequest): HandOver {
  let team = first(text, history)
  let left = mostHandOvers
  const execute = async (input: unknown) => {
    const next = all.find(({ name }) => name === teamIn(input))
    if (next === undefined || next === team) return refusal('INVALID_ARGUMENT', 'Name another team.')
    if (left === 0) return refusal('LIMIT_EXCEEDED', 'Answer yourself: this went around enough.')
    left -= 1
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
  return { team: () => team, tools, isOpen: () => left > 0 }
}

function teamIn(input: unknown): unknown {
  return typeof input === 'object' && input !== null && 'team' in input ? input.team : undefined
}

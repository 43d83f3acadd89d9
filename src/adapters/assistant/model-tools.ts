import { dynamicTool, jsonSchema, type ToolSet } from 'ai'
import type { ErrorCode } from '../../contract/shared/errors.ts'
import { DomainError } from '../../domain/core/errors.ts'
import type { AssistantTool } from '../../domain/ports/assistant.ts'
import { tokensOf } from './fit-history.ts'

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
export function refusal(code: ErrorCode, message: string): string {
  return JSON.stringify({ error: { code, message } })
}

function shortened(text: string, tokens: number): string {
  if (tokensOf(text) <= tokens) return text
  const bytes = Buffer.from(text)
  const most = tokens * 3
  return `Only the first ${most} of ${bytes.length} bytes of this result are shown; request less.\n${bytes.subarray(0, most)}`
}

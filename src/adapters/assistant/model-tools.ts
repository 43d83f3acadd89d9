import { dynamicTool, jsonSchema, type ToolSet } from 'ai'
import type { ErrorCode } from '../../contract/shared/errors.ts'
import { DomainError } from '../../domain/core/errors.ts'
import type { AssistantTool } from '../../domain/ports/assistant.ts'
import { tokensOf } from './fit-history.ts'

/** Estimated tokens that one result may have, and all results of one answer. */
export type ResultBounds = { one: number; all: number }

/**
 * The domain's tools as a model is offered them. A result is JSON with `data`, or `error` with a code and a message; one
 * that is too long is cut, and says so. `failed` is told of what nobody foresaw.
 */
export function modelTools(
  tools: Iterable<AssistantTool>,
  bounds: ResultBounds,
  failed: (error: unknown) => void,
): ToolSet {
  let left = bounds.all
  const entries = [...tools].map((tool) => {
    const { name, description, inputSchema } = tool
    const execute = async (input: unknown) => {
      const answer = await answerOf(tool, input, failed)
      const shown = shortened(answer, Math.min(bounds.one, left))
      left = Math.max(0, left - tokensOf(shown))
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
    return refusal('INTERNAL', 'The tool failed; go on without it.')
  }
}

/** A tool's refusal as a model is shown it. */
export function refusal(code: ErrorCode, message: string): string {
  return JSON.stringify({ error: { code, message } })
}

function shortened(text: string, tokens: number): string {
  if (tokensOf(text) <= tokens) return text
  const bytes = Buffer.from(text)
  const most = tokens * 3
  return `Only the first ${most} of ${bytes.length} bytes of this result are shown; ask for less.\n${bytes.subarray(0, most)}`
}

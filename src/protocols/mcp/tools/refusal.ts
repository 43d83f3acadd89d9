import type { AgentTool } from '../../../contract/agents/tool.ts'
import { toolServing } from '../../../contract/agents/tools.ts'
import { isOperationId, operationOf } from '../../../contract/index.ts'
import type { Operation } from '../../../contract/shared/operation.ts'
import { namesOf } from '../../../contract/tools/tool-table.ts'
import type { DomainError } from '../../../domain/core/errors.ts'
import { type Answer, dataNotice } from './answer.ts'

/** A tool with its name; null where a call named none. */
type Called = { name: string; tool: AgentTool } | null

/**
 * A refusal as a model reads it: the code, what is wrong with which field, and what to do next, in the words of the tools.
 * It may repeat what others wrote, such as the reason why a contract reverts.
 */
export function refusalOf({ code, message, details }: DomainError, called: Called): Answer {
  const [, ...more] = details.violations ?? []
  const words = (text: string) => inToolWords(flat(text, called))
  const lines = [
    ...(called?.tool.quotes === true ? [dataNotice] : []),
    words(`${code}: ${message}`),
    ...more.map(({ path, message: wrong }) => words(`${path}: ${wrong}`)),
    ...(details.retryAfterSeconds == null ? [] : [`Try again in ${details.retryAfterSeconds} seconds.`]),
    ...(code === 'INVALID_ARGUMENT' && called !== null ? [`${called.name} takes ${namesOf(called.tool.input)}.`] : []),
  ]
  return { content: [{ type: 'text', text: lines.join('\n') }], isError: true }
}

/** The fields of a swap are flat in a tool, and below `input` in the operation. */
function flat(text: string, called: Called): string {
  return called !== null && 'token_in_address' in called.tool.input.shape
    ? text.replaceAll(/\binput\.(?=[a-z_]+\b)/g, '')
    : text
}

/** An operation as an agent calls it: by its own tool, else by `call_operation`. Others keep their ids. */
function inToolWords(text: string): string {
  return text.replaceAll(/\b[a-z]+\.[a-z][A-Za-z0-9]*\b/g, (id) => {
    if (!isOperationId(id)) return id
    const { mcp, rpc }: Operation = operationOf(id)
    return toolServing(id) ?? (mcp === 'call' && rpc === undefined ? `call_operation ${id}` : id)
  })
}

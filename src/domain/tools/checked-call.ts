import { checkArguments, type ToolTable } from '../../contract/tools/tool-table.ts'
import { DomainError } from '../core/errors.ts'

/** A call of a tool as a caller sends it. */
export type ToolCall = { tool_name: string; arguments: Record<string, unknown> }

/**
 * The tool that a call names, with its arguments checked. INVALID_ARGUMENT says which tools there are, or which
 * arguments the tool takes; `path` is where the call lies in the request, with a dot at its end.
 * Tools that are listed but called otherwise are `ownCalls`.
 */
export function checkedCall<Table extends ToolTable>(
  table: Table,
  call: ToolCall,
  path = '',
  ownCalls: ToolTable = {},
): { name: keyof Table & string; data: Record<string, unknown> } {
  const tool = Object.hasOwn(table, call.tool_name) ? table[call.tool_name] : undefined
  if (tool === undefined) {
    const own = Object.hasOwn(ownCalls, call.tool_name) ? ownCalls[call.tool_name] : undefined
    const message =
      own === undefined
        ? `must be one of ${Object.keys(table).join(', ')}`
        : `has a call of its own: ${own.description}`
    throw refusal([{ path: `${path}tool_name`, message, code: 'unknown_tool' }])
  }
  const checked = checkArguments(tool, call.arguments, `${path}arguments`)
  if ('violations' in checked) throw refusal(checked.violations)
  return { name: call.tool_name, data: checked.data }
}

function refusal(violations: { path: string; message: string; code: string }[]): DomainError {
  const [first] = violations
  return new DomainError('INVALID_ARGUMENT', `${first?.path ?? ''}: ${first?.message ?? ''}`, { violations })
}

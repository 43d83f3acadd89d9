import { checkArguments, type ToolTable } from '../../contract/tools/tool-table.ts'
import type { Fail } from '../core/errors.ts'
import type { Sourced } from '../ports/providers.ts'

/** A call of a tool as a caller sends it. */
export type ToolCall = { tool_name: string; arguments: Record<string, unknown> }

/** What a tool takes from the call that runs it. */
export type ToolContext = { signal: AbortSignal; fail: Fail<'NOT_FOUND' | 'INVALID_ARGUMENT'> }

/** How every tool of a table runs: with checked arguments, to a result that names its source. */
export type ToolRunners<Needs, Arguments> = {
  [Name in keyof Arguments]: (
    ports: Needs,
    given: Arguments[Name],
    context: ToolContext,
  ) => Promise<Sourced<Record<string, unknown>>>
}

/**
 * The tool that a call names, with its arguments checked. INVALID_ARGUMENT lists the tools, or the arguments that the
 * tool takes. `path` is the path of the call in the request, with a dot at its end; `ownCalls` are listed tools that
 * have a separate operation.
 */
export function checkedCall<Table extends ToolTable>(
  table: Table,
  call: ToolCall,
  fail: Fail<'INVALID_ARGUMENT'>,
  { path = '', ownCalls = {} }: { path?: string; ownCalls?: ToolTable } = {},
): { name: keyof Table & string; data: Record<string, unknown> } {
  const refusal = (violations: { path: string; message: string; code: string }[]) =>
    fail('INVALID_ARGUMENT', `${violations[0]?.path ?? ''}: ${violations[0]?.message ?? ''}`, { violations })
  const tool = Object.hasOwn(table, call.tool_name) ? table[call.tool_name] : undefined
  if (tool === undefined) {
    const own = Object.hasOwn(ownCalls, call.tool_name) ? ownCalls[call.tool_name] : undefined
    const message =
      own === undefined
        ? `must be one of ${Object.keys(table).join(', ')}`
        : `has a separate operation: ${own.description}`
    throw refusal([{ path: `${path}tool_name`, message, code: 'unknown_tool' }])
  }
  const checked = checkArguments(tool, call.arguments, `${path}arguments`)
  if ('violations' in checked) throw refusal(checked.violations)
  return { name: call.tool_name, data: checked.data }
}

/** The result of a tool as callers receive it. */
export function presentTool(tool: string, { value, source, ageMs, latencyMs }: Sourced<Record<string, unknown>>) {
  return { tool, result: value, source, age_ms: ageMs, latency_ms: latencyMs }
}

import type { z } from 'zod'
import type { Violation } from '../shared/errors.ts'
import { wordsOf } from '../shared/violation-words.ts'

/** A tool that is called by name with an object of arguments. */
export type Tool = { description: string; arguments: z.ZodObject }

/** The tools of a provider, by name. */
export type ToolTable = Readonly<Record<string, Tool>>

/** The checked arguments of a tool. */
export type ArgumentsOf<T extends Tool> = z.output<T['arguments']>

/** The table as callers see it, with the JSON Schema of the zod schema that checks the arguments. */
export function describeTools(table: ToolTable) {
  return Object.entries(table).map(([name, tool]) => ({
    name,
    description: tool.description,
    input_schema: schemaOf(tool.arguments),
  }))
}

/** The table in one line of text, each tool with its arguments. */
export function describeInWords(table: ToolTable): string {
  const lines = Object.entries(table).map(([name, tool]) => `${name} (${namesOf(tool.arguments)}): ${tool.description}`)
  return lines.join('; ')
}

/** Checks the arguments of a tool; `path` is their path in the request. */
export function checkArguments(
  tool: Tool,
  given: unknown,
  path: string,
): { data: Record<string, unknown> } | { violations: Violation[] } {
  const parsed = tool.arguments.safeParse(given, { reportInput: true })
  if (parsed.success) return { data: parsed.data }
  const known = `it takes ${namesOf(tool.arguments)}`
  const violations = parsed.error.issues.flatMap((issue): Violation[] => {
    const at = [path, ...issue.path.map(String)].join('.')
    if (issue.code !== 'unrecognized_keys')
      return [{ path: at, message: `${wordsOf(issue)}; ${known}`, code: issue.code }]
    const message = `is not an argument of this tool; ${known}`
    return issue.keys.map((key) => ({ path: `${at}.${key.slice(0, 100)}`, message, code: issue.code }))
  })
  return { violations: violations.slice(0, 20) }
}

/** JSON Schema of an input, in the dialect of 2020-12. */
export function schemaOf(input: z.ZodObject): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = input.toJSONSchema({
    io: 'input',
    override: ({ jsonSchema }) => {
      delete jsonSchema.proto
      delete jsonSchema.message
      // Some models refuse these. The gateway checks them itself.
      delete jsonSchema.not
      delete jsonSchema.maxProperties
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
    },
  })
  return { ...schema }
}

/** The names of the arguments; optional ones are in brackets. */
export function namesOf(schema: z.ZodObject): string {
  const names = Object.entries(schema.shape).map(([name, schema]) =>
    (schema as z.ZodType).safeParse(undefined).success ? `[${name}]` : name,
  )
  return names.length === 0 ? 'none' : names.join(', ')
}

import type { AgentTool } from '../../src/contract/agents/tool.ts'
import { agentTools } from '../../src/contract/agents/tools.ts'
import type { JsonSchema } from './json-schema.ts'

/**
 * What models do not need: the gateway checks every value itself, and each word of the list costs every conversation. Some
 * models refuse `propertyNames`.
 */
const leftOut = {
  input: [
    '$schema',
    'id',
    'proto',
    'message',
    'field',
    'oneof',
    'pattern',
    'not',
    'propertyNames',
    'maxProperties',
    'format',
    'title',
    'maxLength',
    'minLength',
  ],
  output: [
    '$schema',
    'id',
    'proto',
    'message',
    'field',
    'oneof',
    'pattern',
    'not',
    'propertyNames',
    'maxProperties',
    'format',
    'title',
    'maxLength',
    'minLength',
    'description',
    'minimum',
    'maximum',
    'maxItems',
  ],
}

/** The list of tools that MCP serves, as `tools/list` answers it. */
export function mcpFile(): [path: string, text: string] {
  const tools = Object.entries<AgentTool>(agentTools).map(([name, tool]) => ({
    name,
    title: tool.title,
    description: tool.description,
    inputSchema: short(tool.input.toJSONSchema({ io: 'input' }), leftOut.input),
    // Read as an input, an object may have further fields: clients must not refuse an answer that a later version extends.
    outputSchema: short(tool.output.toJSONSchema({ io: 'input' }), leftOut.output),
    annotations: {
      readOnlyHint: tool.moves !== true,
      destructiveHint: tool.moves === true,
      openWorldHint: tool.quotes === true,
    },
  }))
  return ['openapi/mcp.json', `${JSON.stringify({ tools }, null, 2)}\n`]
}

/** A schema without some keywords. Where it is a reference as a whole, clients of 2025 still have to see that it is an object. */
function short(schema: JsonSchema, without: readonly string[]): JsonSchema {
  return { type: 'object', ...shortSchema(schema, without) }
}

/** Keywords whose value is a map of schemas by names, which are no keywords; and keywords whose value is no schema. */
const maps: ReadonlySet<string> = new Set(['properties', '$defs'])
const values: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'required'])

function shortSchema(schema: JsonSchema, without: readonly string[]): JsonSchema {
  const kept = Object.entries(schema).filter(([keyword]) => !without.includes(keyword))
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, shortValue(keyword, value, without)]))
}

function shortValue(keyword: string, value: unknown, without: readonly string[]): unknown {
  if (values.has(keyword) || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => shortValue('items', item, without))
  if (!maps.has(keyword)) return shortSchema(value as JsonSchema, without)
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shortValue('items', field, without)]))
}

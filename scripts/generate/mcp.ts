import type { AgentTool } from '../../src/contract/agents/tool.ts'
import { agentTools } from '../../src/contract/agents/tools.ts'
import type { JsonSchema } from './json-schema.ts'

/** What models do not need: the gateway checks every value itself, and each word of the list costs every conversation. */
const leftOut = {
  input: ['$schema', 'id', 'proto', 'pattern', 'format', 'title', 'maxLength', 'minLength'],
  output: [
    '$schema',
    'id',
    'proto',
    'pattern',
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

/** A schema without some keywords. The names of its fields are no keywords. */
function short(schema: JsonSchema, without: readonly string[]): JsonSchema {
  const kept = Object.entries(schema).filter(([keyword]) => !without.includes(keyword))
  return Object.fromEntries(
    kept.map(([keyword, value]) => [
      keyword,
      keyword === 'properties' ? mapped(value as JsonSchema, without) : shortValue(value, without),
    ]),
  )
}

function mapped(fields: JsonSchema, without: readonly string[]): JsonSchema {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, shortValue(field, without)]))
}

function shortValue(value: unknown, without: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => shortValue(item, without))
  return typeof value === 'object' && value !== null ? short(value as JsonSchema, without) : value
}

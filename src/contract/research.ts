import { z } from 'zod'
import { boundedArray } from './shared/bounded.ts'
import { bounds } from './shared/limits.ts'
import { operation } from './shared/operation.ts'
import { freeInput, freeObject, inputRecord, inputText } from './shared/primitives.ts'
import { ageMs, chainName, latencyMs, source, toolName, toolResult } from './shared/values.ts'
import { tvlTools } from './tools/tvl-tool-table.ts'

const toolCall = z
  .strictObject({
    tool_name: toolName(tvlTools).describe('Name of a tool of the TVL provider'),
    arguments: freeInput.describe('Arguments of the tool'),
  })
  .meta({ id: 'ToolCall', description: 'A call of a tool' })

const part = z
  .object({
    part: z
      .string()
      .describe('Field that the part provides: graph_data, analytics_rows, or defi_results with an index'),
    state: z
      .enum(['ok', 'failed', 'timed_out'])
      .meta({ message: 'ResearchState' })
      .describe('ok: its field is present; failed and timed_out: code and message say why it is not'),
    source: source.optional(),
    age_ms: ageMs.optional(),
    latency_ms: latencyMs,
    block_number: z
      .int()
      .min(0)
      .describe('Newest block that the subgraph has indexed, where it reports that')
      .optional(),
    block_age_seconds: z
      .int()
      .min(0)
      .describe('Age of that block in seconds: how far the subgraph is behind')
      .optional(),
    code: z.string().describe('Code of the error').optional(),
    message: z.string().describe('What went wrong, and what to do next').optional(),
  })
  .meta({ id: 'ResearchPart', description: 'The result of one source of a research request' })

export const research = {
  preview: operation({
    kind: 'unary',
    summary: 'Gather on-chain facts from several sources and summarise them',
    description:
      'Every group of fields may be sent alone: subgraph, analytics, and the tools of the TVL provider. They run concurrently within 20 seconds. If one fails, the others are still returned, and parts has the result of each. Where every source fails, so does the request, with the reason of each.',
    auth: 'session',
    scope: 'read',
    rate: 'default',
    values: bounds.researchValues,
    http: { method: 'POST', path: '/api/v1/multi-agent/research/preview' },
    input: z.strictObject({
      subgraph: z
        .string()
        .max(2_048)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: no text of an input has NUL
        .regex(/^https?:\/\/[^\u0000\n\r\u2028\u2029][^\u0000]*$/, 'an http or https address')
        .describe('Address of the subgraph')
        .optional(),
      gql: inputText.min(1).max(20_000).describe('GraphQL query').optional(),
      variables: freeInput.describe('Variables of the GraphQL query').optional(),
      analytics_query_id: z.int32().min(1).max(2_147_483_647).describe('Id of the analytics query').optional(),
      analytics_params: inputRecord(z.union([inputText.max(1_000), z.number().min(-1e15).max(1e15)]))
        .meta({ proto: 'struct', description: 'Parameters of the analytics query: text or numbers' })
        .optional(),
      defi_calls: boundedArray(toolCall, 20).describe('Tools of the TVL provider to call').optional(),
      tvl_chain: chainName.describe('Chain whose total value locked to read').optional(),
      price_symbol: inputText.min(1).max(32).describe('Token whose price to read').optional(),
      pools_chain: chainName.describe('Chain whose pools to list').optional(),
      pools_limit: z.int32().min(1).max(100).describe('Most pools to list').optional(),
    }),
    output: z.object({
      graph_data: freeObject.describe('Response of the subgraph, with its rows in data').optional(),
      analytics_rows: z.array(freeObject).describe('Rows of the analytics query').optional(),
      analytics_state: z.string().describe('State of the query, such as QUERY_STATE_COMPLETED').optional(),
      defi_results: z.array(toolResult).describe('Results of the tools, in the order of the calls').optional(),
      summary: z.string().describe('A summary in words, made from the parts alone').optional(),
      summary_inputs_sha256: z
        .string()
        .describe(
          'SHA-256 of what the summary was made from: graph_data, analytics_rows, analytics_state, defi_results and parts, where they are not absent or empty, of every part its part, state, source and message alone, as JSON with sorted keys and without spaces',
        )
        .optional(),
      parts: z.array(part).describe('The result of each source').optional(),
    }),
    errors: ['NOT_FOUND', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'UNIMPLEMENTED'],
    example: {
      input: {
        analytics_query_id: 2,
        analytics_params: { days: 7 },
        defi_calls: [{ tool_name: 'tvl_get', arguments: { chain: 'sandbox' } }],
        price_symbol: 'WETH',
      },
      output: {
        analytics_rows: [{ day: '2026-03-14', volume_usd: 181_204.22 }],
        analytics_state: 'QUERY_STATE_COMPLETED',
        defi_results: [{ tool: 'tvl_get', result: { chain: 'sandbox', tvl_usd: 5_012_400.5 } }],
        summary: 'The sandbox holds 5.01 million USD; 181 thousand USD were traded on 14 March.',
        summary_inputs_sha256: '8d3f1c5b7a9e20466c8e0f2a4b6d8c1e3f5a7b9d0c2e4f6a8b1d3c5e7f9a0b2c',
        parts: [
          { part: 'analytics_rows', state: 'ok', source: 'analytics (sandbox)', age_ms: 0, latency_ms: 61 },
          { part: 'defi_results.0', state: 'ok', source: 'tvlfeed (sandbox)', age_ms: 0, latency_ms: 12 },
          { part: 'defi_results.1', state: 'ok', source: 'tvlfeed (sandbox)', age_ms: 0, latency_ms: 9 },
        ],
      },
    },
  }),
}

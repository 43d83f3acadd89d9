import { resumeFieldOf } from '../../src/contract/index.ts'
import type { HttpBinding, Operation } from '../../src/contract/shared/operation.ts'
import { dataLines, standardEvents } from '../../src/protocols/rest/sse.ts'
import type { JsonSchema } from './json-schema.ts'

type Response = { description: string; headers: object; content?: object }

/** The responses of an operation that answers with events, by status. `headers` are those of each. */
export function streamResponses(
  operation: Operation,
  { emptyEvent }: HttpBinding,
  output: JsonSchema,
  headers: object,
): Record<string, Response> {
  const example = operation.example.output
  const described = (description: string, schema: JsonSchema, text: string) => ({
    200: {
      description,
      headers,
      content: { 'text/event-stream': { schema: eventSchema(schema), example: `${text}data: [DONE]\n\n` } },
    },
  })
  if (emptyEvent !== undefined)
    return described(
      'Lines `data: <JSON>`, each followed by a blank line, until `data: [DONE]`. An event without an id is no part of the answer: one with `error`, a problem document, is the last, and another keeps the connection open.',
      { anyOf: [output, asideSchema(emptyEvent)] },
      dataLines(emptyEvent).frameOf(example),
    )
  const events = described(
    'Events until `data: [DONE]`: each is a line `id: <id>`, where it has one, a line `data: <JSON>` and a blank line. A failure is a last event named error, whose data is a problem document. Comment lines keep the connection open.',
    output,
    standardEvents.frameOf(example),
  )
  if (resumeFieldOf(operation) === null) return events
  return { ...events, 204: { description: 'The stream has ended, and the event given was its last.', headers } }
}

/**
 * The stream as text, with the schema of the JSON of its events beside it: generators take the schema of this media type
 * for the whole body before OpenAPI 3.2.
 */
function eventSchema(output: JsonSchema): JsonSchema {
  return { type: 'string', contentMediaType: 'text/event-stream', contentSchema: output }
}

/** What keeps a connection open, or is the failure of the stream. */
function asideSchema(emptyEvent: Record<string, string>): JsonSchema {
  const fixed = Object.entries(emptyEvent).map(([name, value]) => [name, { const: value }])
  return {
    type: 'object',
    properties: { ...Object.fromEntries(fixed), error: { $ref: '#/components/schemas/Problem' } },
    required: Object.keys(emptyEvent),
    additionalProperties: false,
  }
}

import { errorTable } from '../../src/contract/errors.ts'
import { bounds } from '../../src/contract/limits.ts'
import type { Auth } from '../../src/contract/operation.ts'
import type { JsonSchema } from './json-schema.ts'

/** The parts of the OpenAPI document that do not depend on an operation. */

export const info = {
  title: 'Trident',
  description:
    'On-chain research and trading for agents, over REST, tRPC and gRPC alike. Register, start a session, and send its ' +
    'token with every further call. Amounts are decimal strings, timestamps UTC in ISO 8601; errors are problem documents.',
  license: { name: 'MIT', identifier: 'MIT' },
}

export const servers = [
  { url: 'http://127.0.0.1:8000', description: 'A gateway on this machine, with its default settings' },
]

const bearer = { type: 'http', scheme: 'bearer' } as const

export const securitySchemes = {
  userToken: { ...bearer, bearerFormat: 'JWT', description: 'Token of register or login; it manages sessions' },
  sessionToken: { ...bearer, bearerFormat: 'JWT', description: 'Token of a session; for all work in it' },
  operatorToken: {
    ...bearer,
    description: 'Token of the operator, as configured; without one, calls from the machine itself',
  },
}

type Requirement = Record<string, never[]>

/** Any one of the requirements is enough; none at all means that no token is needed. */
export function securityOf(auth: Auth): Requirement[] {
  const needs: Record<Auth, Requirement[]> = {
    none: [],
    user: [{ userToken: [] }],
    session: [{ sessionToken: [] }],
    any: [{ sessionToken: [] }, { userToken: [] }],
    operator: [{ operatorToken: [] }],
  }
  return needs[auth]
}

const integer = { type: 'integer', minimum: 0 } as const

export const headers = {
  RequestId: {
    description: 'Id of the request, for reports; the one that was sent, if any',
    required: true,
    schema: { type: 'string' },
  },
  RateLimitLimit: { description: 'Requests of this kind that the present window allows', schema: integer },
  RateLimitRemaining: {
    description: 'Requests that are left in it, those of a burst beyond the limit not counted',
    schema: integer,
  },
  RateLimitReset: { description: 'When the window ends, in seconds since 1970', schema: integer },
  RetryAfter: { description: 'Seconds to wait before the same request can succeed', schema: integer },
  StreamId: {
    description: 'Id of the stream: the part of an event id before its last colon',
    schema: { type: 'string' },
  },
} as const

const headerRef = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` })

/** On every answer; rate limits can be switched off by configuration. */
export const commonHeaders = {
  'x-request-id': headerRef('RequestId'),
  'x-ratelimit-limit': headerRef('RateLimitLimit'),
  'x-ratelimit-remaining': headerRef('RateLimitRemaining'),
  'x-ratelimit-reset': headerRef('RateLimitReset'),
}

export const retryHeader = { 'retry-after': headerRef('RetryAfter') }
/** Of a deprecated operation. */
export const endHeaders = {
  deprecation: { description: 'When it was deprecated: @ and seconds since 1970', schema: { type: 'string' } },
  sunset: { description: 'From when on it may be gone, where that is known', schema: { type: 'string' } },
}
export const streamHeader = { 'x-stream-id': headerRef('StreamId') }

export const parameters = {
  RequestId: {
    name: 'x-request-id',
    in: 'header',
    description:
      'An id of yours for this request; it comes back with the answer where it is 1 to 128 printable ASCII characters, else a new one',
    schema: { type: 'string' },
  },
  LastEventId: {
    name: 'last-event-id',
    in: 'header',
    description: 'Id of the last event seen, as browsers send it; the stream goes on after it',
    // Some operations have a field of this name too, which generators of Go would give the same name.
    'x-go-name': 'LastEventIdHeader',
    schema: { type: 'string', maxLength: 100 },
  },
} as const

export const parameterRef = (name: keyof typeof parameters) => ({ $ref: `#/components/parameters/${name}` })

const violation: JsonSchema = {
  type: 'object',
  description: 'A broken rule of the input',
  properties: {
    path: { type: 'string', description: 'The field, in dots, such as input.amount_in; empty for the whole' },
    message: { type: 'string', description: 'What is wrong with it' },
    code: { type: 'string', description: 'Name of the rule, such as too_big' },
  },
  required: ['path', 'message', 'code'],
}

const problem: JsonSchema = {
  type: 'object',
  description: 'Why a request was refused, or failed (RFC 9457)',
  properties: {
    type: { type: 'string', format: 'uri', description: 'Kind of the problem, one for each code' },
    title: { type: 'string', description: 'The code in words' },
    status: { type: 'integer', description: 'The HTTP status' },
    detail: { type: 'string', description: 'What happened and what to do next' },
    code: {
      type: 'string',
      enum: [...Object.keys(errorTable), 'METHOD_NOT_ALLOWED'],
      description: 'The code, for programs',
    },
    request_id: { type: 'string', description: 'Id of the request, for reports' },
    errors: {
      type: 'array',
      maxItems: bounds.violationsListed,
      items: { $ref: '#/components/schemas/Violation' },
      description: 'The broken rules of an input, where that is the reason',
    },
    retry_after_seconds: { type: 'number', description: 'Seconds to wait before the same request can succeed' },
    metadata: { type: 'object', additionalProperties: { type: 'string' }, description: 'Facts a program may act on' },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
}

export const problemSchemas: [string, JsonSchema][] = [
  ['Problem', problem],
  ['Violation', violation],
]

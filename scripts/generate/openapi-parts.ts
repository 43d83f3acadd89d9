import type { Auth, Operation } from '../../src/contract/shared/operation.ts'
import { sampleAddresses } from '../../src/contract/shared/samples.ts'

/** The parts of the OpenAPI document that do not depend on an operation. */

export const info = {
  title: 'Trident',
  description:
    'On-chain research and trading for agents, over REST, tRPC and gRPC alike. Register, start a session, and send its ' +
    'token with every further call. Amounts are decimal strings, times UTC in RFC 3339; errors are problem documents.',
  license: { name: 'MIT', identifier: 'MIT' },
}

export const servers = [
  { url: sampleAddresses.http, description: 'A gateway on this machine, with its default settings' },
]

const bearer = { type: 'http', scheme: 'bearer' } as const

export const securitySchemes = {
  userToken: { ...bearer, bearerFormat: 'JWT', description: 'Token of register or login; it manages sessions' },
  sessionToken: { ...bearer, bearerFormat: 'JWT', description: 'Token of a session, for all operations in it' },
  operatorToken: {
    ...bearer,
    description: 'Token of the operator: OPERATOR_TOKEN, or the file operator.token in DATA_DIR',
  },
}

type Requirement = Record<string, string[]>

/** One of the requirements is sufficient; an empty list means that no token is needed. A session token has the scope that it needs. */
export function securityOf({ auth, scope = 'none' }: Pick<Operation, 'auth' | 'scope'>): Requirement[] {
  const needed = scope === 'none' ? [] : [scope]
  const needs: Record<Auth, Requirement[]> = {
    none: [],
    user: [{ userToken: [] }],
    session: [{ sessionToken: needed }],
    any: [{ sessionToken: needed }, { userToken: [] }],
    operator: [{ operatorToken: [] }],
  }
  return needs[auth]
}

const integer = { type: 'integer', minimum: 0 } as const

export const headers = {
  RequestId: {
    description: 'Id of the request, for reports; the one that the caller sent, if any',
    required: true,
    schema: { type: 'string' },
  },
  RateLimitLimit: { description: 'Requests of this kind that the current window allows', schema: integer },
  RateLimitRemaining: {
    description: 'Requests that may be sent at once now; with a burst they can be more than the limit',
    schema: integer,
  },
  RateLimitReset: { description: 'When the window ends, in seconds since 1970', schema: integer },
  RetryAfter: { description: 'Seconds to wait before the same request can succeed', schema: integer },
  IgnoredFields: {
    description: 'Fields of the request that the operation does not know and has ignored, percent-encoded',
    schema: { type: 'string' },
  },
  StreamId: {
    description: 'Id of the stream: the part of an event id before its last colon',
    schema: { type: 'string' },
  },
} as const

const headerRef = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` })

/** Headers of every response; the configuration can switch rate limits off. */
export const commonHeaders = {
  'x-request-id': headerRef('RequestId'),
  'x-ratelimit-limit': headerRef('RateLimitLimit'),
  'x-ratelimit-remaining': headerRef('RateLimitRemaining'),
  'x-ratelimit-reset': headerRef('RateLimitReset'),
}

export const retryHeader = { 'retry-after': headerRef('RetryAfter') }
/** Headers of a deprecated operation. */
export const endHeaders = {
  deprecation: { description: 'When it was deprecated: @ and seconds since 1970', schema: { type: 'string' } },
  sunset: { description: 'When it may be removed, where that is known', schema: { type: 'string' } },
}
/** Header of an operation that ignores unknown fields. */
export const ignoredHeader = { 'x-ignored-fields': headerRef('IgnoredFields') }
export const streamHeader = { 'x-stream-id': headerRef('StreamId') }

export const parameters = {
  RequestId: {
    name: 'x-request-id',
    in: 'header',
    description:
      'Your id for this request. The response repeats it if it is 1 to 128 visible ASCII characters, else it has a new one',
    schema: { type: 'string' },
  },
  LastEventId: {
    name: 'last-event-id',
    in: 'header',
    description: 'Id of the last event received, as browsers send it; the stream resumes after it',
    // Some operations have a field with this name too, and Go generators would then use one name twice.
    'x-go-name': 'LastEventIdHeader',
    schema: { type: 'string', maxLength: 100 },
  },
} as const

export const parameterRef = (name: keyof typeof parameters) => ({ $ref: `#/components/parameters/${name}` })

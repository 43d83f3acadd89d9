import { commonErrors, type ErrorCode, errorTable, problemTypeOf } from '../../src/contract/shared/errors.ts'
import { codesOf, type HttpBinding, type Operation } from '../../src/contract/shared/operation.ts'
import type { JsonSchema } from './json-schema.ts'
import { pascalCase } from './names.ts'
import { commonHeaders, retryHeader } from './openapi-parts.ts'
import { hasBody } from './samples/bound.ts'

type Response = {
  description: string
  headers: Record<string, JsonSchema>
  content: Record<string, { schema: JsonSchema; example?: unknown }>
}

export type ErrorResponses = {
  /** What the responses refer to; operations with the same codes share them. */
  components: [string, Response][]
  byStatus: Record<string, Response | { $ref: string }>
}

/** A response for each status that the operation's own codes and the common ones have. */
export function errorResponses(operation: Operation, http: HttpBinding, output: JsonSchema): ErrorResponses {
  const codes = [
    ...new Set<ErrorCode>([...commonErrors, 'MALFORMED_REQUEST', ...bodyErrors(http), ...codesOf(operation)]),
  ]
  const byStatus = [...Map.groupBy(codes, (code) => errorTable[code].http)].sort(([a], [b]) => a - b)
  if (operation.refusal !== undefined) return ownRefusals(operation, byStatus, output)
  const named = byStatus.map(([status, members]) => ({
    status,
    name: members.map(nameOf).join('Or'),
    response: problemResponse(members),
  }))
  return {
    components: [
      ...named.map(({ name, response }): [string, Response] => [name, response]),
      ['OtherProblem', otherProblem],
    ],
    byStatus: Object.fromEntries([
      ...named.map(({ status, name }) => [status, referTo(name)]),
      ['default', referTo('OtherProblem')],
    ]),
  }
}

function bodyErrors(http: HttpBinding): ErrorCode[] {
  return hasBody(http) ? ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] : []
}

const problemRef = { $ref: '#/components/schemas/Problem' }

const otherProblem: Response = {
  description: 'Any other failure, as a problem document',
  headers: commonHeaders,
  content: { 'application/problem+json': { schema: problemRef } },
}

function referTo(name: string): { $ref: string } {
  return { $ref: `#/components/responses/${name}` }
}

function nameOf(code: ErrorCode): string {
  return pascalCase(code.toLowerCase())
}

function problemResponse(codes: readonly ErrorCode[]): Response {
  return {
    description: describe(codes),
    headers: headersOf(codes),
    content: { 'application/problem+json': { schema: problemRef, example: exampleOf(codes[0] ?? 'INTERNAL') } },
  }
}

function describe(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `${code}: ${errorTable[code].title}. ${errorTable[code].remedy}`).join('. ')
}

function headersOf(codes: readonly ErrorCode[]): Response['headers'] {
  const retries = codes.some((code) => errorTable[code].retry)
  return { ...commonHeaders, ...(retries ? retryHeader : {}) }
}

function exampleOf(code: ErrorCode) {
  const { http, title } = errorTable[code]
  const violation = { path: 'name', message: 'is required', code: 'invalid_type' }
  return {
    type: problemTypeOf(code),
    title,
    status: http,
    detail: code === 'INVALID_ARGUMENT' ? 'name: is required' : `${title}.`,
    code,
    request_id: '4f2b1c9e-8a7d-4e36-b5c0-1d2e3f4a5b6c',
    ...(code === 'INVALID_ARGUMENT' ? { errors: [violation] } : {}),
  }
}

const exampleMoment = new Date('2025-10-04T10:06:26.000Z')

/** An operation whose refusals have the shape of its output. */
function ownRefusals({ refusal }: Operation, byStatus: [number, ErrorCode[]][], output: JsonSchema): ErrorResponses {
  const response = (codes: readonly ErrorCode[]): Response => ({
    description: describe(codes),
    headers: headersOf(codes),
    content: {
      'application/json': {
        schema: output,
        example: refusal?.({ message: `${errorTable[codes[0] ?? 'INTERNAL'].title}.` }, exampleMoment),
      },
    },
  })
  return { components: [], byStatus: Object.fromEntries(byStatus.map(([status, codes]) => [status, response(codes)])) }
}

import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { isOperationId, operationOf } from '../../contract/index.ts'
import { refusesRepeated } from '../../contract/shared/unknown-fields.ts'
import { DomainError } from '../../domain/core/errors.ts'
import { mediaType } from '../caller.ts'
import { readJson, readOnce, repeatedKeys } from '../json-text.ts'
import type { UrlFields } from '../url-text.ts'
import type { TrpcPlans } from './parts.ts'

/** A call without a batch, or a subscription, with its input parsed. */
export type PlainCall = {
  path: string
  type: 'query' | 'mutation' | 'subscription'
  /** A DomainError where the input is refused, once its caller is known. */
  input: unknown
}

/**
 * Reads a request as a plain call, as nearly all requests are. Null for a batch, a streamed response, and every request
 * that tRPC has to refuse: its own adapter serves these. `body` is the JSON text of a POST.
 */
export function plainCallOf(
  plans: TrpcPlans,
  { method, headers }: FastifyRequest,
  path: string,
  query: UrlFields,
  body: string | undefined,
): PlainCall | null {
  const type = typeOf(plans, path)
  if (type === undefined || (method === 'GET' ? type === 'mutation' : type === 'subscription')) return null
  if (headers['trpc-accept'] !== undefined || headers.accept?.includes('jsonl') === true) return null
  if (method === 'GET' ? !isJsonOrNone(headers['content-type']) : body === undefined) return null
  if (Object.hasOwn(query, 'batch') || Object.hasOwn(query, 'connectionParams')) return null
  const text = method === 'GET' ? firstOf(query.input) : body
  try {
    const input = text ? readInput(path, text) : undefined
    const lastId = type === 'subscription' ? lastIdOf(headers, query) : null
    const isWhole = lastId === null || input instanceof DomainError
    return { path, type, input: isWhole ? input : { ...Object(input), lastEventId: lastId } }
  } catch {
    return null
  }
}

/**
 * Reads what tRPC's own adapter serves, which takes the last of two equal keys. Throws INVALID_ARGUMENT for those that an
 * operation refuses, and as `readJson` does.
 */
export function refuseRepeated(path: string, query: UrlFields, body: string | undefined): void {
  const text = body ?? firstOf(query.input)
  if (text === undefined) return
  // As tRPC tells a batch: its input has a key for each call.
  const paths = firstOf(query.batch) === '1' ? path.split(',') : null
  const counts = (key: string) => isExact(paths === null ? path : paths[Number(key)])
  if (!(paths ?? [path]).some(isExact)) return
  const repeated = repeatedIn(text, counts)
  if (repeated.length > 0) throw repeatedKeys(repeated)
}

function repeatedIn(text: string, counts: (key: string) => boolean): string[] {
  try {
    return readJson(text, counts).repeated
  } catch (error) {
    if (error instanceof SyntaxError) return [] // tRPC refuses it
    throw error
  }
}

/** The input, or the error by which it is refused. Throws SyntaxError. */
function readInput(path: string, text: string): unknown {
  if (!isExact(path)) return JSON.parse(text)
  try {
    return readOnce(text)
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
}

function isExact(path = ''): boolean {
  return isOperationId(path) && refusesRepeated(operationOf(path))
}

function firstOf(sent: string | string[] | undefined): string | undefined {
  return [sent].flat()[0]
}

/** The id of the last event of a subscription that the caller has received. */
function lastIdOf(headers: IncomingHttpHeaders, query: UrlFields): string | null {
  const [sent] = [headers['last-event-id']].flat()
  return (sent ?? firstOf(query.lastEventId) ?? firstOf(query['Last-Event-Id'])) || null
}

function typeOf(plans: TrpcPlans, path: string): PlainCall['type'] | undefined {
  const kind = Object.hasOwn(plans, path) ? plans[path]?.kind : undefined
  return kind === 'streamingMutation' ? 'mutation' : kind
}

function isJsonOrNone(contentType: string | undefined): boolean {
  return contentType === undefined || mediaType(contentType) === 'application/json'
}

import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { mediaType } from '../caller.ts'
import type { TrpcPlans } from './parts.ts'

/** A call without a batch, or a subscription, with its input parsed. */
export type PlainCall = {
  path: string
  type: 'query' | 'mutation' | 'subscription'
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
  query: URLSearchParams,
  body: string | undefined,
): PlainCall | null {
  const type = typeOf(plans, path)
  if (type === undefined || (method === 'GET' ? type === 'mutation' : type === 'subscription')) return null
  if (headers['trpc-accept'] !== undefined || headers.accept?.includes('jsonl') === true) return null
  if (method === 'GET' ? !isJsonOrNone(headers['content-type']) : body === undefined) return null
  if (query.has('batch') || query.has('connectionParams')) return null
  const text = method === 'GET' ? query.get('input') : body
  try {
    const input: unknown = text ? JSON.parse(text) : undefined
    const lastId = type === 'subscription' ? lastIdOf(headers, query) : null
    return { path, type, input: lastId === null ? input : { ...Object(input), lastEventId: lastId } }
  } catch {
    return null
  }
}

/** The id of the last event of a subscription that the caller has received. */
function lastIdOf(headers: IncomingHttpHeaders, query: URLSearchParams): string | null {
  const [sent] = [headers['last-event-id']].flat()
  return (sent ?? query.get('lastEventId') ?? query.get('Last-Event-Id')) || null
}

function typeOf(plans: TrpcPlans, path: string): PlainCall['type'] | undefined {
  const kind = Object.hasOwn(plans, path) ? plans[path]?.kind : undefined
  return kind === 'streamingMutation' ? 'mutation' : kind
}

function isJsonOrNone(contentType: string | undefined): boolean {
  return contentType === undefined || mediaType(contentType) === 'application/json'
}

import type { IncomingHttpHeaders } from 'node:http'
import type { AnyRouter } from '@trpc/server'
import type { FastifyRequest } from 'fastify'
import { mediaType } from '../caller.ts'

/** One call by itself whose answer is no stream, or one subscription, with its input read. */
export type PlainCall = {
  path: string
  type: 'query' | 'mutation' | 'subscription'
  input: unknown
}

/**
 * The plain call that a request is, as nearly all are; null where it is more, such as a batch, or where tRPC has to say
 * what is wrong with it. `body` is the JSON text of a POST.
 */
export function plainCallOf(
  router: AnyRouter,
  { method, headers, raw }: FastifyRequest,
  path: string,
  body: string | undefined,
): PlainCall | null {
  const type = typeOf(router, path)
  if (type === undefined || (method === 'GET' ? type === 'mutation' : type === 'subscription')) return null
  if (headers['trpc-accept'] !== undefined || headers.accept?.includes('jsonl') === true) return null
  if (method === 'GET' ? !isJsonOrNone(headers['content-type']) : body === undefined) return null
  const fields = URL.parse(raw.url ?? '/', `http://${headers.host ?? 'localhost'}`)?.searchParams
  if (fields === undefined || fields.has('batch') || fields.has('connectionParams')) return null
  const text = method === 'GET' ? fields.get('input') : body
  try {
    const input: unknown = text ? JSON.parse(text) : undefined
    const lastId = type === 'subscription' ? lastIdOf(headers, fields) : null
    return { path, type, input: lastId === null ? input : { ...Object(input), lastEventId: lastId } }
  } catch {
    return null
  }
}

/** Of the last event of a subscription that the caller saw. */
function lastIdOf(headers: IncomingHttpHeaders, fields: URLSearchParams): string | null {
  const [sent] = [headers['last-event-id']].flat()
  return (sent ?? fields.get('lastEventId') ?? fields.get('Last-Event-Id')) || null
}

function typeOf(router: AnyRouter, path: string): PlainCall['type'] | undefined {
  const procedures: Record<string, { _def: { type: PlainCall['type'] } }> = router._def.procedures
  return Object.hasOwn(procedures, path) ? procedures[path]?._def.type : undefined
}

function isJsonOrNone(contentType: string | undefined): boolean {
  return contentType === undefined || mediaType(contentType) === 'application/json'
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { resumeFieldOf } from '../../contract/index.ts'
import type { HttpBinding, Operation } from '../../contract/shared/operation.ts'
import { refusesRepeated } from '../../contract/shared/unknown-fields.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Caller, ReadInput } from '../../gateway/request.ts'
import { readBody } from '../body.ts'
import type { Callers } from '../caller.ts'
import { errorOfHttp, sendFailure } from '../http-errors.ts'
import { restProtocol } from '../protocols.ts'
import { disconnectSignal } from '../streams.ts'
import { queryOf, readFields } from '../url-text.ts'
import { csvOf, nextCursorHeader, prefersCsv } from './csv.ts'
import { inputOf, takesBody } from './input.ts'
import { type SseTimes, sendEvents } from './sse.ts'

type RestParts = {
  gateway: Gateway
  operations: ReadonlyMap<string, Operation>
  callers: Callers
  /** Aborts when the server begins to close. */
  closing: AbortSignal
  sse?: SseTimes
}

/** A Fastify plugin with one route for every operation that has an HTTP binding; bodies must arrive as buffers. */
export function restRoutes(parts: RestParts): (app: FastifyInstance) => Promise<void> {
  return async (app) => {
    for (const [id, operation] of parts.operations)
      if (operation.http !== undefined) addRoute(app, parts, id, operation, operation.http)
  }
}

function addRoute(app: FastifyInstance, parts: RestParts, id: string, operation: Operation, http: HttpBinding): void {
  app.route({
    method: http.method,
    url: http.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    exposeHeadRoute: operation.kind === 'unary',
    errorHandler: (thrown, _request, reply) => {
      const error = errorOfHttp(thrown)
      if (error === null) throw thrown
      return sendFailure(reply, error, {}, operation)
    },
    handler: async (request, reply) => {
      const read = () => inputOf(operation, http, partsOf(request, operation, http))
      const caller = parts.callers.ofHttp(request.raw, {
        protocol: restProtocol,
        requestId: request.id,
        signal: disconnectSignal(reply.raw),
      })
      if (operation.kind === 'unary')
        return await respond(parts, id, operation, read, caller, reply, request.headers.accept)
      await stream(parts, id, operation, http, read, caller, reply)
    },
  })
}

async function respond(
  parts: RestParts,
  id: string,
  operation: Operation,
  read: ReadInput,
  caller: Caller,
  reply: FastifyReply,
  accept: string | undefined,
) {
  const result = await parts.gateway.call(id, read, caller)
  if (!result.ok) return sendFailure(reply, result.error, result.headers, operation)
  reply.headers(result.headers)
  if (operation.table !== undefined) reply.header('vary', [reply.getHeader('vary') ?? [], 'accept'].flat().join(', '))
  if (operation.table === undefined || !prefersCsv(accept))
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(result.output))
  const { next_cursor: next } = result.output as { next_cursor?: string | null }
  if (typeof next === 'string') reply.header(nextCursorHeader, next)
  return reply.type('text/csv; charset=utf-8; header=present').send(csvOf(operation, result.output))
}

async function stream(
  parts: RestParts,
  id: string,
  operation: Operation,
  http: HttpBinding,
  read: ReadInput,
  caller: Caller,
  reply: FastifyReply,
) {
  const signal = AbortSignal.any([caller.signal, parts.closing])
  let input: unknown
  const opened = await parts.gateway.open(id, () => (input = read()), { ...caller, signal })
  if (!opened.ok) {
    await sendFailure(reply, opened.error, opened.headers, operation)
    return
  }
  const { emptyEvent } = http
  const field = resumeFieldOf(operation)
  const resumed = emptyEvent === undefined && field !== null && Boolean(Object(input)[field])
  const events = { ...opened, emptyEvent, resumed, disconnected: caller.signal, closing: parts.closing }
  const failure = await sendEvents(reply, events, parts.sse)
  if (failure !== null) await sendFailure(reply, failure, opened.headers, operation)
}

function partsOf(request: FastifyRequest, operation: Operation, http: HttpBinding) {
  const lastEventId = request.headers['last-event-id']
  return {
    path: { ...(request.params as Record<string, string>) },
    query: readFields(queryOf(request.raw.url)),
    body: takesBody(http) ? readBody(request, http.body, refusesRepeated(operation)) : undefined,
    lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
  }
}

import { callTRPCProcedure, isTrackedEnvelope, TRPCError } from '@trpc/server'
import type { FastifyReply } from 'fastify'
import { beginEvents, type Dialect, writeEvents } from '../event-stream.ts'
import { errorOfHttp } from '../http-errors.ts'
import type { TrpcContext } from './dependencies.ts'
import { isUnexpected, shapeOf, trpcErrorOf } from './errors.ts'
import type { TrpcServer } from './parts.ts'
import type { PlainCall } from './plain.ts'

/** Serves a plain call by its procedure alone, which takes a fraction of the time that tRPC's adapter takes. */
export async function respond(server: TrpcServer, plain: PlainCall, context: TrpcContext, reply: FastifyReply) {
  try {
    const data = await run(server, plain, context)
    return send(reply.headers(context.headers), 200, { result: { data } })
  } catch (thrown) {
    return refuse(server, reply.headers(context.headers), thrown, plain.path)
  }
}

/** Runs the procedure of a plain call. That of a subscription returns its events. */
function run({ router }: TrpcServer, { path, type, input }: PlainCall, context: TrpcContext): Promise<unknown> {
  const { signal } = context.caller
  return callTRPCProcedure({ router, path, type, ctx: context, batchIndex: 0, getRawInput: async () => input, signal })
}

/** Sends an error to the caller. */
export function refuse(server: TrpcServer, reply: FastifyReply, thrown: unknown, path?: string): FastifyReply {
  const shape = shapeOf(errorOf(server, reply, thrown, path), path, reply.request.id)
  return send(reply, shape.data.httpStatus, { error: shape })
}

/** The error that the caller receives. An unexpected one is reported. */
function errorOf(server: TrpcServer, { request }: FastifyReply, thrown: unknown, operation = 'trpc'): TRPCError {
  const error = thrown instanceof TRPCError ? thrown : httpErrorOf(thrown)
  if (isUnexpected(error)) server.unexpected({ operation, requestId: request.id, error: thrown })
  return error
}

function send(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply.code(status).headers({ 'content-type': 'application/json' }).send(JSON.stringify(body))
}

function httpErrorOf(thrown: unknown): TRPCError {
  const known = errorOfHttp(thrown)
  return known === null ? new TRPCError({ code: 'INTERNAL_SERVER_ERROR' }) : trpcErrorOf(known)
}

/** Milliseconds without an event or a ping after which a client reconnects. */
export const reconnectAfterMs = 45_000

/** Sends a subscription's events; a refusal is its only one. */
export async function subscribe(
  server: TrpcServer,
  plain: PlainCall,
  context: TrpcContext,
  reply: FastifyReply,
  frame: typeof plainFrame,
): Promise<void> {
  const shape = (thrown: unknown) =>
    shapeOf(errorOf(server, reply, thrown, plain.path), plain.path, context.caller.requestId)
  const dialect = subscriptionDialect(frame, shape)
  const opened = await run(server, plain, { ...context, slowReader: null }).then(
    (events) => ({ events: events as AsyncGenerator<unknown, void, undefined> }),
    (thrown: unknown) => ({ thrown }),
  )
  const raw = beginEvents(reply, { ...context.headers, ...subscriptionHeaders })
  raw.write(connected)
  if ('thrown' in opened) {
    raw.end(dialect.failed(opened.thrown))
    return
  }
  const ended = AbortSignal.any([context.caller.signal, server.closing])
  await writeEvents(raw, opened.events, dialect, server, ended)
}

/** The headers of a subscription, as tRPC sends them. */
const subscriptionHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** What a client receives before the first event. */
const connected = `event: connected\ndata: ${JSON.stringify({ reconnectAfterInactivityMs: reconnectAfterMs })}\n\n`

/** An event of a subscription without an id. */
export function plainFrame(event: unknown): string {
  return `data: ${JSON.stringify(event)}\n\n`
}

/**
 * Writes the events of one reader as tRPC's clients read them. tRPC's own writer passes each event through several web
 * streams, which takes many times as long. `shapeOf` makes the error that the reader receives.
 */
function subscriptionDialect(frame: typeof plainFrame, shapeOf: (thrown: unknown) => object): Dialect {
  return {
    ping: 'event: ping\ndata: \n\n',
    last: () => 'event: return\ndata: \n\n',
    failed: (thrown) => `event: serialized-error\ndata: ${JSON.stringify(shapeOf(thrown))}\n\n`,
    frameOf(event) {
      if (!isTrackedEnvelope(event)) return frame(event)
      const [id, data] = event
      return `id: ${id}\n${frame(data)}`
    },
  }
}

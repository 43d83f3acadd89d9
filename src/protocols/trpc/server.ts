import { type AnyRouter, callTRPCProcedure, TRPCError } from '@trpc/server'
import { fastifyRequestHandler } from '@trpc/server/adapters/fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Gateway } from '../../gateway.ts'
import { onceEach } from '../../once-each.ts'
import { bodyText } from '../body.ts'
import type { Callers } from '../caller.ts'
import { beginEvents, writeEvents } from '../event-stream.ts'
import { errorOfHttp } from '../http-errors.ts'
import { leavingSignal } from '../streams.ts'
import { type TrpcContext, trpcOptions } from './dependencies.ts'
import { isUnexpected, shapeOf, trpcErrorOf } from './errors.ts'
import { type PlainCall, plainCallOf } from './plain.ts'
import { batchLimit } from './request-errors.ts'
import { connected, plainFrame, subscriptionDialect, subscriptionHeaders } from './subscription.ts'

export type TrpcParts = {
  router: AnyRouter
  gateway: Gateway
  callers: Callers
  /** Aborts when the server begins to close. */
  closing: AbortSignal
  /** Milliseconds that a reader may take nothing before its stream is ended. */
  slowReaderMs?: number
  unexpected(event: { operation: string; requestId: string; error: unknown }): void
}

/** A Fastify plugin that serves the router at /trpc; bodies must arrive as buffers. */
export function trpcRoutes(parts: TrpcParts): (app: FastifyInstance) => Promise<void> {
  const frame = onceEach(plainFrame)
  return async (app) => {
    app.route<{ Params: { path: string } }>({
      method: ['GET', 'POST'],
      url: '/trpc/:path',
      exposeHeadRoute: false,
      errorHandler: (thrown, _request, reply) => refuse(parts, reply, thrown),
      handler: async (request, reply) => {
        const { path } = request.params
        const body = request.method === 'POST' ? jsonText(request) : undefined
        const context = contextOf(parts, request, reply)
        const plain = plainCallOf(parts.router, request, path, body)
        if (plain?.type === 'subscription') return await subscribe(parts, plain, context, reply, frame)
        if (plain !== null) return await answer(parts, plain, context, reply)
        request.body = body
        await serve(parts, request, reply, path, context)
      },
    })
  }
}

/** Answers a plain call by its procedure alone, which is a fraction of the work that finding out what else it may be is. */
async function answer(parts: TrpcParts, plain: PlainCall, context: TrpcContext, reply: FastifyReply) {
  try {
    const data = await run(parts, plain, context)
    return send(reply.headers(context.headers), 200, { result: { data } })
  } catch (thrown) {
    return refuse(parts, reply.headers(context.headers), thrown, plain.path)
  }
}

/** Sends a subscription's events; a refusal is its only one. */
async function subscribe(
  parts: TrpcParts,
  plain: PlainCall,
  context: TrpcContext,
  reply: FastifyReply,
  frame: typeof plainFrame,
): Promise<void> {
  const shape = (thrown: unknown) => shapeOf(told(parts, reply, thrown, plain.path), plain.path, reply.request.id)
  const dialect = subscriptionDialect(frame, shape)
  const opened = await run(parts, plain, { ...context, patience: null }).then(
    (events) => ({ events: events as AsyncGenerator<unknown, void, undefined> }),
    (thrown: unknown) => ({ thrown }),
  )
  const raw = beginEvents(reply, { ...context.headers, ...subscriptionHeaders })
  raw.write(connected)
  if ('thrown' in opened) {
    raw.end(dialect.failed(opened.thrown))
    return
  }
  const pace = { heartbeatMs: trpcOptions.sse.ping.intervalMs, slowReaderMs: patienceMs(parts) }
  const ended = AbortSignal.any([context.caller.signal, parts.closing])
  await writeEvents(raw, opened.events, dialect, pace, ended)
}

function run({ router }: TrpcParts, { path, type, input }: PlainCall, context: TrpcContext): Promise<unknown> {
  const { signal } = context.caller
  return callTRPCProcedure({ router, path, type, ctx: context, batchIndex: 0, getRawInput: async () => input, signal })
}

function refuse(parts: TrpcParts, reply: FastifyReply, thrown: unknown, path?: string): FastifyReply {
  const shape = shapeOf(told(parts, reply, thrown, path), path, reply.request.id)
  return send(reply, shape.data.httpStatus, { error: shape })
}

/** The error that a caller is told; what is unexpected is reported. */
function told(parts: TrpcParts, { request }: FastifyReply, thrown: unknown, operation = 'trpc'): TRPCError {
  const error = thrown instanceof TRPCError ? thrown : ownError(thrown)
  if (isUnexpected(error)) parts.unexpected({ operation, requestId: request.id, error: thrown })
  return error
}

function send(reply: FastifyReply, status: number, answer: object): FastifyReply {
  return reply.code(status).headers({ 'content-type': 'application/json' }).send(JSON.stringify(answer))
}

function patienceMs({ slowReaderMs = 30_000 }: TrpcParts): number {
  return slowReaderMs
}

/** What an answer at these paths may depend on, beside what every answer here does. */
function varyOf(reply: FastifyReply): string {
  return [reply.getHeader('vary'), 'trpc-accept, accept'].filter((names) => names !== undefined).join(', ')
}

function contextOf(parts: TrpcParts, request: FastifyRequest, reply: FastifyReply): TrpcContext {
  return {
    gateway: parts.gateway,
    caller: parts.callers.ofHttp(request.raw, {
      protocol: 'trpc',
      requestId: request.id,
      signal: leavingSignal(reply.raw),
    }),
    closing: parts.closing,
    streaming: request.method === 'GET' || request.headers['trpc-accept'] === 'application/jsonl',
    patience: { milliseconds: patienceMs(parts), cut: () => void reply.raw.destroy() },
    headers: { vary: varyOf(reply) },
  }
}

/** Answers whatever else a client may ask: batches, streams, and what is no call. */
async function serve(
  parts: TrpcParts,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  context: TrpcContext,
): Promise<void> {
  await fastifyRequestHandler({
    router: routerFor(parts.router, request.id),
    req: request,
    res: reply,
    path,
    maxBatchSize: batchLimit,
    // The input of a query may be longer than an address can be.
    allowMethodOverride: true,
    createContext: () => context,
    responseMeta: () => ({ headers: context.headers }),
    onError({ error, path: operation }) {
      if (isUnexpected(error)) parts.unexpected({ operation: operation ?? 'trpc', requestId: request.id, error })
    },
  })
}

function ownError(thrown: unknown): TRPCError {
  const known = errorOfHttp(thrown)
  return known === null ? new TRPCError({ code: 'INTERNAL_SERVER_ERROR' }) : trpcErrorOf(known)
}

/** The router as one request sees it: tRPC has no context to ask for the request id where it cannot read the request. */
function routerFor(router: AnyRouter, requestId: string): AnyRouter {
  const errorFormatter = ({ error, path }: { error: TRPCError; path: string | undefined }) =>
    shapeOf(error, path, requestId)
  return { ...router, _def: { ...router._def, _config: { ...router._def._config, errorFormatter } } }
}

/** tRPC reads text; it takes forms and bytes too, which no operation here does. */
function jsonText(request: FastifyRequest): string | undefined {
  if (!Buffer.isBuffer(request.body) || request.body.length === 0) return undefined
  return bodyText('json', request.headers, request.body)
}

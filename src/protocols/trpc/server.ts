import type { AnyRouter, TRPCError } from '@trpc/server'
import { fastifyRequestHandler } from '@trpc/server/adapters/fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onceEach } from '../../gateway/once-each.ts'
import { bodyText } from '../body.ts'
import { leavingSignal } from '../streams.ts'
import { answer, refuse } from './answer.ts'
import type { TrpcContext } from './dependencies.ts'
import { isUnexpected, shapeOf } from './errors.ts'
import { patienceMs, type TrpcParts } from './parts.ts'
import { plainCallOf } from './plain.ts'
import { trpcProtocol } from './protocol.ts'
import { batchLimit } from './request-errors.ts'
import { plainFrame, subscribe } from './subscription.ts'

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

/** What an answer at these paths may depend on, beside what every answer here does. */
function varyOf(reply: FastifyReply): string {
  return [reply.getHeader('vary'), 'trpc-accept, accept'].filter((names) => names !== undefined).join(', ')
}

function contextOf(parts: TrpcParts, request: FastifyRequest, reply: FastifyReply): TrpcContext {
  return {
    gateway: parts.gateway,
    caller: parts.callers.ofHttp(request.raw, {
      protocol: trpcProtocol,
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

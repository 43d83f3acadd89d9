import type { AnyRouter } from '@trpc/server'
import { TRPCError } from '@trpc/server'
import { fastifyRequestHandler } from '@trpc/server/adapters/fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../domain/errors.ts'
import type { Gateway } from '../../gateway.ts'
import { decodeText } from '../body.ts'
import { type Callers, mediaType } from '../caller.ts'
import { errorOfHttp } from '../rest/errors.ts'
import { leavingSignal } from '../streams.ts'
import type { TrpcContext } from './dependencies.ts'
import { isUnexpected, shapeOf, trpcErrorOf } from './errors.ts'

export type TrpcParts = {
  router: AnyRouter
  gateway: Gateway
  callers: Callers
  /** Aborts when the server begins to close. */
  closing: AbortSignal
  unexpected(event: { operation: string; requestId: string; error: unknown }): void
}

/** Calls that may share one request. */
const batchLimit = 10

/** A Fastify plugin that serves the router at /trpc; bodies must arrive as buffers. */
export function trpcRoutes(parts: TrpcParts): (app: FastifyInstance) => Promise<void> {
  return async (app) => {
    app.route<{ Params: { path: string } }>({
      method: ['GET', 'POST'],
      url: '/trpc/:path',
      exposeHeadRoute: false,
      errorHandler: (thrown, request, reply) => {
        const known = errorOfHttp(thrown)
        if (known === null) parts.unexpected({ operation: 'trpc', requestId: request.id, error: thrown })
        const error = known === null ? new TRPCError({ code: 'INTERNAL_SERVER_ERROR' }) : trpcErrorOf(known)
        const shape = shapeOf(error, undefined, request.id)
        return reply
          .code(shape.data.httpStatus)
          .type('application/json')
          .send(JSON.stringify({ error: shape }))
      },
      handler: async (request, reply) => {
        if (request.method === 'POST') request.body = jsonText(request)
        await serve(parts, request, reply, request.params.path)
      },
    })
  }
}

async function serve(parts: TrpcParts, request: FastifyRequest, reply: FastifyReply, path: string): Promise<void> {
  const context: TrpcContext = {
    gateway: parts.gateway,
    caller: parts.callers.ofHttp(request.raw, {
      protocol: 'trpc',
      requestId: request.id,
      signal: leavingSignal(reply.raw),
    }),
    closing: parts.closing,
    streaming: request.method === 'GET' || request.headers['trpc-accept'] === 'application/jsonl',
    headers: {},
  }
  await fastifyRequestHandler({
    router: parts.router,
    req: request,
    res: reply,
    path,
    maxBatchSize: batchLimit,
    createContext: () => context,
    responseMeta: () => ({ headers: context.headers }),
    onError({ error, path: operation }) {
      if (isUnexpected(error)) parts.unexpected({ operation: operation ?? 'trpc', requestId: request.id, error })
    },
  })
}

/** tRPC reads text; it takes forms and bytes too, which no operation here does. */
function jsonText(request: FastifyRequest): string | undefined {
  if (!Buffer.isBuffer(request.body) || request.body.length === 0) return undefined
  if (mediaType(request.headers['content-type']) !== 'application/json') {
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE', 'Send the input as application/json.')
  }
  return decodeText(request.body)
}

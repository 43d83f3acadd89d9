import { AsyncLocalStorage } from 'node:async_hooks'
import { fastifyRequestHandler } from '@trpc/server/adapters/fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../domain/core/errors.ts'
import { onceEach } from '../../gateway/once-each.ts'
import type { Caller } from '../../gateway/request.ts'
import { bodyText } from '../body.ts'
import { trpcProtocol } from '../protocols.ts'
import { disconnectSignal } from '../streams.ts'
import { queryOf, readFields } from '../url-text.ts'
import { type TrpcContext, trpcDependencies } from './dependencies.ts'
import { isUnexpected, shapeOf } from './errors.ts'
import type { TrpcParts, TrpcServer } from './parts.ts'
import { type PlainCall, plainCallOf, refuseRepeated } from './plain.ts'
import { batchLimit, requestError } from './request-errors.ts'
import { plainFrame, reconnectAfterMs, refuse, respond, subscribe } from './respond.ts'

/** A Fastify plugin that serves the operations at /trpc; bodies must arrive as buffers. */
export function trpcRoutes(parts: TrpcParts): (app: FastifyInstance) => Promise<void> {
  // tRPC makes no context for a request that it cannot read, and its error formatter receives nothing else of a request.
  const requestId = new AsyncLocalStorage<string>()
  const server = serverOf(parts, requestId)
  const frame = onceEach(plainFrame)
  return async (app) => {
    app.route<{ Params: { path: string } }>({
      method: ['GET', 'POST'],
      url: '/trpc/:path',
      exposeHeadRoute: false,
      errorHandler: (thrown, _request, reply) => refuse(server, reply, thrown),
      handler: async (request, reply) => {
        const { path } = request.params
        const context = contextOf(server, request, reply)
        const { body, plain } = await readCounted(server, request, reply, context.caller)
        if (plain?.type === 'subscription') return await subscribe(server, plain, context, reply, frame)
        if (plain) return await respond(server, plain, context, reply)
        request.body = body
        await requestId.run(request.id, () => serve(server, request, reply, path, context))
      },
    })
  }
}

function serverOf(parts: TrpcParts, requestId: AsyncLocalStorage<string>): TrpcServer {
  const { heartbeatMs = 15_000, slowReaderMs = 30_000 } = parts
  const router = parts.createRouter(trpcDependencies, {
    isDev: false, // no stack in an error
    sse: {
      ping: { enabled: true, intervalMs: heartbeatMs },
      client: { reconnectAfterInactivityMs: reconnectAfterMs },
    },
    jsonl: { pingMs: heartbeatMs },
    errorFormatter: ({ error, path, ctx }) => shapeOf(error, path, ctx?.caller.requestId ?? requestId.getStore() ?? ''),
  })
  return { ...parts, heartbeatMs, slowReaderMs, router }
}

/** Request headers that a response at these paths depends on, after those of the server. */
function varyOf(reply: FastifyReply): string {
  return [reply.getHeader('vary'), 'trpc-accept, accept'].filter((names) => names !== undefined).join(', ')
}

type Read = { body: string | undefined; plain: PlainCall | null }

/** Reads a request. What cannot be read reaches no operation that would count it, and is counted here. */
async function readCounted(
  { gateway, plans }: TrpcServer,
  request: FastifyRequest<{ Params: { path: string } }>,
  reply: FastifyReply,
  caller: Caller,
): Promise<Read> {
  try {
    const { path } = request.params
    const body = request.method === 'POST' ? jsonText(request) : undefined
    const query = readFields(queryOf(request.raw.url))
    const plain = plainCallOf(plans, request, path, query, body)
    if (plain === null) refuseRepeated(path, query, body)
    return { body, plain }
  } catch (thrown) {
    if (!(thrown instanceof DomainError)) throw thrown
    const counted = await gateway.count('unknown', caller, thrown.code)
    reply.headers(counted.headers)
    throw counted.ok ? thrown : counted.error
  }
}

function contextOf(server: TrpcServer, request: FastifyRequest, reply: FastifyReply): TrpcContext {
  return {
    gateway: server.gateway,
    caller: server.callers.ofHttp(request.raw, {
      protocol: trpcProtocol,
      requestId: request.id,
      signal: disconnectSignal(reply.raw),
    }),
    closing: server.closing,
    streaming: request.method === 'GET' || request.headers['trpc-accept'] === 'application/jsonl',
    slowReader: { timeoutMs: server.slowReaderMs, disconnect: () => void reply.raw.destroy() },
    headers: { vary: varyOf(reply) },
  }
}

/** Serves everything except plain calls by tRPC's own adapter: batches, streams, and invalid requests. */
async function serve(
  server: TrpcServer,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  context: TrpcContext,
): Promise<void> {
  await fastifyRequestHandler({
    router: server.router,
    req: request,
    res: reply,
    path,
    maxBatchSize: batchLimit,
    // The input of a query may be longer than a URL can be.
    allowMethodOverride: true,
    createContext: () => context,
    responseMeta: () => ({ headers: context.headers }),
    onError({ error, path: operation }) {
      // What tRPC cannot read reaches no operation that would count it.
      if (requestError(error) !== null) void server.gateway.count('unknown', context.caller, 'MALFORMED_REQUEST')
      if (isUnexpected(error)) server.unexpected({ operation: operation ?? 'trpc', requestId: request.id, error })
    },
  })
}

/** The body as text. tRPC would accept forms and bytes too, which no operation here takes. */
function jsonText(request: FastifyRequest): string | undefined {
  if (!Buffer.isBuffer(request.body) || request.body.length === 0) return undefined
  return bodyText('json', request.headers, request.body)
}

import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { bounds } from '../contract/shared/limits.ts'
import { DomainError, unexpectedError } from '../domain/core/errors.ts'
import { requestIdOf, wantsHtml } from './caller.ts'
import { closeWithin } from './closing.ts'
import { type CorsRules, corsHeaders, isPreflight } from './cors.ts'
import type { Door } from './door.ts'
import { errorOfHttp, sendFailure, sendProblem } from './http-errors.ts'
import { boundTo, type Listening, nodeServer } from './node-server.ts'
import { methodNotAllowed } from './problem.ts'

export type HttpParts = Listening & {
  cors: CorsRules
  door?: Door
  /** True to send `strict-transport-security`: the public address is https, under a name. */
  hsts?: boolean
  /** Functions that each add routes to the server. Bodies arrive as buffers of at most 1 MiB. */
  routes: readonly ((app: FastifyInstance) => Promise<void>)[]
  /** Shows a browser a page at an unknown path. */
  notFoundPage?: (reply: FastifyReply) => FastifyReply
  /** Aborted here when the server begins to close, so that open streams end. */
  closing: AbortController
  /** Milliseconds that requests may take to finish once closing; then their connections are cut. */
  graceMs: number
  unexpected(event: { operation: string; requestId: string; error: unknown }): void
}

export type HttpServer = { url: string; port: number; close(): Promise<void> }

/** Starts the HTTP server. Every response has `x-request-id`, and every refusal is a problem document, but for pages that a browser asks for. */
export async function serveHttp(parts: HttpParts): Promise<HttpServer> {
  const app = Fastify({
    bodyLimit: bounds.bodyBytes,
    requestIdHeader: false,
    genReqId: (request) => requestIdOf(headerText(request.headers['x-request-id'])),
    serverFactory: (handler) => nodeServer(parts, handler),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // The headers have at most 16 KiB together. The routes refuse what is wrong within them.
    // Each route reads the query itself, where it can refuse it.
    routerOptions: { maxParamLength: 16_384, querystringParser: () => ({}) },
    frameworkErrors: (error, request, reply) => {
      reply.headers({ 'x-request-id': request.id, ...corsHeaders(parts.cors, request.headers.origin) })
      void sendFailure(reply, errorOfHttp(error) ?? unexpectedError(request.id), {})
    },
  })
  app.removeAllContentTypeParsers()
  // JSON is also registered by its name, which is found without parsing the header.
  app.addContentTypeParser(['application/json', '*'], { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  addHooks(app, parts)
  const paths = pathMethods(app)
  for (const routes of parts.routes) await app.register(routes)
  for (const [url, methods] of await paths()) refuseOtherMethods(app, url, methods)
  await app.listen({ host: parts.host, port: parts.port })
  return { ...boundTo(app.server, parts), close: () => closeGently(app, parts) }
}

function addHooks(app: FastifyInstance, parts: HttpParts): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      ...(parts.hsts === true ? { 'strict-transport-security': 'max-age=31536000' } : {}),
      ...corsHeaders(parts.cors, request.headers.origin),
    })
    if (isPreflight(request.raw)) return reply.code(204).send()
    const turned = await parts.door?.(request.raw, request.id)
    if (turned) return sendFailure(reply, turned.error, turned.headers)
  })
  app.setErrorHandler((thrown, request, reply) => {
    const error = errorOfHttp(thrown)
    if (error === null) parts.unexpected({ operation: 'http', requestId: request.id, error: thrown })
    return sendFailure(reply, error ?? unexpectedError(request.id), {})
  })
  app.setNotFoundHandler(({ headers, url }, reply) => {
    if (parts.notFoundPage !== undefined && !isApi.test(url) && wantsHtml(headers, 'named'))
      return parts.notFoundPage(reply)
    return sendFailure(
      reply,
      new DomainError('NOT_FOUND', 'Nothing is served at this path. /docs lists the operations.'),
      {},
    )
  })
}

/** Paths of programs, whatever they accept. */
const isApi = /^\/(api|trpc|faucet\/api|bridge\/api)(\/|\?|$)/

/** Collects the methods of each path while routes are added. */
function pathMethods(app: FastifyInstance): () => Promise<Map<string, Set<string>>> {
  const paths = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = paths.get(url) ?? new Set<string>()
    for (const each of [method].flat()) methods.add(each)
    paths.set(url, methods)
  })
  return async () => {
    await app.after()
    return new Map([...paths].map(([url, methods]) => [url, new Set(methods)]))
  }
}

function refuseOtherMethods(app: FastifyInstance, url: string, methods: Set<string>): void {
  const allowed = [...methods].join(', ')
  const others = app.supportedMethods.filter((method) => !methods.has(method))
  const refuse = async (request: { id: string }, reply: FastifyReply) =>
    sendProblem(reply.header('allow', allowed), methodNotAllowed(allowed, request.id))
  app.route({ method: others, url, exposeHeadRoute: false, handler: async () => undefined, onRequest: refuse })
}

async function closeGently(app: FastifyInstance, { closing, graceMs }: HttpParts): Promise<void> {
  closing.abort()
  await closeWithin(graceMs, app.close(), () => app.server.closeAllConnections())
}

function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

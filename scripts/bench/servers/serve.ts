import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { Server, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js'
import { getRequestListener } from '@hono/node-server'
import { OpenAPIHandler } from '@orpc/openapi/node'
import { ORPCError, os } from '@orpc/server'
import { initTRPC, TRPCError } from '@trpc/server'
import { createHTTPHandler } from '@trpc/server/adapters/standalone'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { grpcMethods } from '../../../generated/grpc/services.ts'
import { grpcPort, isAdmitted, listening, paths, positions, quote, type Serve, servedTokens } from './served.ts'

/** The baseline of HTTP: a node:http server that reads and writes JSON, and checks nothing. */
const bare: Serve = async () => {
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      let text = ''
      for await (const chunk of request.setEncoding('utf8')) text += chunk
      JSON.parse(text)
    }
    const answer = JSON.stringify(request.url === paths.quote ? quote.example.output : positions.example.output)
    const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) }
    response.writeHead(200, head).end(answer)
  })
  return { http: await listening(server) }
}

/** The two operations on Fastify as one writes them by hand. */
const fastify: Serve = async (tokens) => {
  const app = Fastify()
  app.addHook('onRequest', async (request, reply) => {
    if (!isAdmitted(tokens, request.headers.authorization)) return reply.code(401).send({ error: 'unauthenticated' })
  })
  app.post(paths.quote, async (request, reply) => {
    const input = quote.input.safeParse(request.body)
    return input.success ? quote.example.output : reply.code(422).send(input.error.issues)
  })
  app.get(paths.positions, async (request, reply) => {
    const input = positions.input.safeParse(request.query)
    return input.success ? positions.example.output : reply.code(422).send(input.error.issues)
  })
  await app.ready()
  return { http: await listening(app.server) }
}

/** The baseline of gRPC: a grpc-js server with the same messages, and no checks. */
const grpc: Serve = async () => {
  const { path, decodeRequest, encodeResponse, encodeRequest, decodeResponse } = grpcMethods['trading.quote']
  const definition = {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: encodeRequest,
    requestDeserialize: decodeRequest,
    responseSerialize: encodeResponse,
    responseDeserialize: decodeResponse,
  }
  const answer = (_call: ServerUnaryCall<unknown, unknown>, respond: sendUnaryData<unknown>) =>
    respond(null, quote.example.output)
  const server = new Server()
  server.addService({ quote: definition }, { quote: answer })
  return { grpc: await grpcPort(server) }
}

/** The two operations on Hono as one writes them by hand. */
const hono: Serve = async (tokens) => {
  const app = new Hono()
  app.use(async (context, next) => {
    if (!isAdmitted(tokens, context.req.header('authorization'))) return context.json({ error: 'unauthenticated' }, 401)
    return await next()
  })
  app.post(paths.quote, async (context) => {
    const input = quote.input.safeParse(await context.req.json())
    return input.success ? context.json(quote.example.output) : context.json(input.error.issues, 422)
  })
  app.get(paths.positions, (context) => {
    const input = positions.input.safeParse(context.req.query())
    return input.success ? context.json(positions.example.output) : context.json(input.error.issues, 422)
  })
  return { http: await listening(createServer(getRequestListener(app.fetch))) }
}

/** The two operations on oRPC, by its OpenAPI handler. */
const orpc: Serve = async (tokens) => {
  const admitted = os.$context<{ headers: IncomingHttpHeaders }>().use(async ({ context, next }) => {
    if (!isAdmitted(tokens, context.headers.authorization)) throw new ORPCError('UNAUTHORIZED')
    return await next()
  })
  const handler = new OpenAPIHandler({
    quote: admitted
      .route({ method: 'POST', path: paths.quote })
      .input(quote.input)
      .handler(() => quote.example.output),
    positions: admitted
      .route({ method: 'GET', path: paths.positions })
      .input(positions.input)
      .handler(() => positions.example.output),
  })
  const server = createServer(async (request, response) => {
    const { matched } = await handler.handle(request, response, { context: { headers: request.headers } })
    if (!matched) response.writeHead(404).end()
  })
  return { http: await listening(server) }
}

/** The query on tRPC's own standalone server. */
const trpc: Serve = async (tokens) => {
  const t = initTRPC.context<{ request: IncomingMessage }>().create()
  const admitted = t.procedure.use(({ ctx, next }) => {
    if (!isAdmitted(tokens, ctx.request.headers.authorization)) throw new TRPCError({ code: 'UNAUTHORIZED' })
    return next()
  })
  const router = t.router({
    metrics: t.router({ positions: admitted.input(positions.input).query(() => positions.example.output) }),
  })
  const handler = createHTTPHandler({ router, basePath: '/trpc/', createContext: ({ req }) => ({ request: req }) })
  return { http: await listening(createServer(handler)) }
}

/** Servers by name; each runs as a separate process, so that all have the same share of the machine. */
const servers = {
  bare,
  fastify,
  grpc,
  hono,
  orpc,
  trpc,
  trident: async (tokens) => (await import('./trident.ts')).serve(tokens),
} satisfies Record<string, Serve>

export type ServerName = keyof typeof servers

/** Runs as a separate process: it responds to each message with its ports, and ends with its parent. */
const [name, dataDir = ''] = process.argv.slice(2)
const ports = servers[name as ServerName](servedTokens(dataDir))
process.on('message', async () => process.send?.(await ports))
process.once('disconnect', () => process.exit())

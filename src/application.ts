import { createHash, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { grpcMethods } from '../generated/grpc/services.ts'
import { createRouter } from '../generated/trpc/router.ts'
import { createMemoryLimiter } from './adapters/limits/memory.ts'
import type { Config } from './config.ts'
import { operations } from './contract/index.ts'
import type { Operation } from './contract/operation.ts'
import { handlersById } from './domain/index.ts'
import { createGateway } from './gateway.ts'
import type { Metrics } from './observe/metrics.ts'
import type { Observer } from './observe/observer.ts'
import { openPorts } from './open-ports.ts'
import { createCallers } from './protocols/caller.ts'
import { documentRoutes } from './protocols/docs/server.ts'
import { explorerRoutes } from './protocols/explorer/server.ts'
import { serveGrpc } from './protocols/grpc/server.ts'
import { healthRoutes } from './protocols/health/server.ts'
import { serveHttp } from './protocols/http.ts'
import { serveRpc } from './protocols/jsonrpc/server.ts'
import { restRoutes } from './protocols/rest/server.ts'
import { trpcDependencies, trpcOptions } from './protocols/trpc/dependencies.ts'
import { trpcRoutes } from './protocols/trpc/server.ts'

/** The running gateway: where it listens, what of it is embedded, and how to end it. */
export type Application = AsyncDisposable & {
  listening: { http: string; grpc: string; rpc: string }
  embedded: string[]
}

/** Milliseconds that requests may take to finish once the gateway is told to stop. */
const graceMs = 5_000

/** Opens everything a configuration asks for and serves it. What was opened is closed again if a later part fails. */
export async function openApplication(config: Config, observer: Observer, metrics: Metrics): Promise<Application> {
  await using opened = new AsyncDisposableStack()
  const world = opened.use(await openPorts(config, observer))
  const byId = new Map<string, Operation>(operations())
  const gateway = createGateway({
    operations: byId,
    handlers: handlersById(),
    ports: world.ports,
    limiter: createMemoryLimiter(),
    rules: config.rateRules,
    isOperator: config.OPERATOR_TOKEN === undefined ? null : equals(config.OPERATOR_TOKEN),
    observer,
  })
  const callers = createCallers({
    host: config.HOST,
    trustedProxies: config.TRUSTED_PROXIES ?? [],
    apiKeys: config.RPC_API_KEYS ?? [],
  })
  const cors = { origins: config.CORS_ORIGINS ?? [] }
  const closing = new AbortController()
  const tls = tlsOf(config)
  const common = {
    gateway,
    callers,
    host: config.HOST,
    graceMs,
    unexpected: observer.unexpected,
    ...(tls === null ? {} : { tls }),
  }
  const streams = { gateway, callers, closing: closing.signal }

  const http = await serveHttp({
    ...common,
    port: config.HTTP_PORT,
    cors,
    closing,
    routes: [
      restRoutes({ ...streams, operations: byId }),
      trpcRoutes({ ...streams, router: createRouter(trpcDependencies, trpcOptions), unexpected: observer.unexpected }),
      await documentRoutes({
        openapi: besideSource('openapi/openapi.json'),
        openrpc: besideSource('openapi/openrpc.json'),
      }),
      healthRoutes({ checks: world.checks, metrics: metrics.text, closing: closing.signal }),
      explorerRoutes(world.explorer),
    ],
  })
  opened.defer(() => http.close())
  const grpc = await serveGrpc({
    ...common,
    port: config.GRPC_PORT,
    methods: grpcMethods,
    descriptors: readFileSync(besideSource('generated/grpc/descriptor.binpb')),
  })
  opened.defer(() => grpc.close())
  const rpc = await serveRpc({
    ...common,
    port: config.RPC_PORT,
    cors,
    operations: byId,
    openrpc: JSON.parse(readFileSync(besideSource('openapi/openrpc.json'), 'utf8')),
  })
  opened.defer(() => rpc.close())

  const resources = opened.move()
  return {
    listening: { http: http.url, grpc: `${config.HOST}:${grpc.port}`, rpc: rpc.url },
    embedded: world.embedded,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function besideSource(path: string): URL {
  return new URL(`../${path}`, import.meta.url)
}

function tlsOf(config: Config): { cert: string; key: string } | null {
  if (config.TLS_CERT === undefined || config.TLS_KEY === undefined) return null
  return { cert: readFileSync(config.TLS_CERT, 'utf8'), key: readFileSync(config.TLS_KEY, 'utf8') }
}

/** Compares digests, so that the time it takes tells nothing of the token, its length included. */
function equals(secret: string): (token: string) => boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const expected = digest(secret)
  return (token) => timingSafeEqual(digest(token), expected)
}

import { grpcMethods } from '../../../generated/grpc/services.ts'
import { createRouter, plans } from '../../../generated/trpc/router.ts'
import { createMemoryLimiter } from '../../../src/adapters/limits/memory.ts'
import { systemClock } from '../../../src/adapters/system/system.ts'
import { operations } from '../../../src/contract/index.ts'
import type { Operation } from '../../../src/contract/shared/operation.ts'
import type { AnyHandler } from '../../../src/domain/core/handler.ts'
import type { Ports } from '../../../src/domain/ports/index.ts'
import { createGateway } from '../../../src/gateway/gateway.ts'
import { createLog } from '../../../src/observe/log.ts'
import { createMetrics } from '../../../src/observe/metrics.ts'
import { createObserver } from '../../../src/observe/observer.ts'
import { noTracing } from '../../../src/observe/tracing.ts'
import { createCallers, proxyCheck } from '../../../src/protocols/caller.ts'
import { serveGrpc } from '../../../src/protocols/grpc/server.ts'
import { serveHttp } from '../../../src/protocols/http.ts'
import { restRoutes } from '../../../src/protocols/rest/server.ts'
import { trpcRoutes } from '../../../src/protocols/trpc/server.ts'
import { rulesOf } from '../../../src/settings/setting-kinds.ts'
import { positions, quote, type Serve, wideRates } from './served.ts'

/** The gateway with all its protocols and checks, over handlers without work and sessions that always exist. */
export const serve: Serve = async (tokens) => {
  const observer = createObserver({
    log: createLog({ level: 'silent', secrets: [] }),
    metrics: createMetrics(),
    tracing: noTracing,
  })
  // The only ports that it uses.
  const ports = {
    clock: systemClock,
    tokens,
    sessions: { check: async () => ({ generation: 0, revoked: false }) },
    knownAddresses: { note: async () => undefined },
  } as unknown as Ports
  const byId = new Map<string, Operation>(operations())
  const gateway = createGateway({
    operations: byId,
    handlers: new Map<string, AnyHandler>([
      ['trading.quote', async () => quote.example.output],
      ['metrics.positions', async () => positions.example.output],
    ]),
    ports,
    limiter: createMemoryLimiter(),
    rules: rulesOf(wideRates.RATE_RULES, { trial: false }),
    isOperator: () => false,
    observer,
  })
  const host = '127.0.0.1'
  const callers = createCallers({ isProxy: proxyCheck([]) })
  const closing = new AbortController()
  const parts = { gateway, callers, host, port: 0, graceMs: 0, unexpected: observer.unexpected }
  const routes = { ...parts, closing: closing.signal }
  const http = await serveHttp({
    ...parts,
    cors: { origins: [] },
    closing,
    routes: [restRoutes({ ...routes, operations: byId }), trpcRoutes({ ...routes, createRouter, plans })],
  })
  const grpc = await serveGrpc({ ...parts, methods: grpcMethods, descriptors: new Uint8Array() })
  return { http: http.port, grpc: grpc.port }
}

import { operations } from '../../src/contract/index.ts'
import { type RateRule, rateRules } from '../../src/contract/shared/limits.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import type { AnyHandler } from '../../src/domain/core/handler.ts'
import type { Grant } from '../../src/domain/ports/accounts.ts'
import type { Ports } from '../../src/domain/ports/index.ts'
import type { Limiter } from '../../src/domain/ports/limiter.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import type { RequestObserver, WatchedRequest } from '../../src/gateway/request-observer.ts'
import { createCallers, proxyCheck } from '../../src/protocols/caller.ts'
import { type HttpParts, type HttpServer, serveHttp } from '../../src/protocols/http.ts'
import { restRoutes } from '../../src/protocols/rest/server.ts'
import type { SseTimes } from '../../src/protocols/rest/sse.ts'
import { clockAt } from '../clock.ts'
import { operatorToken } from '../operator-token.ts'

export const userToken = 'token-of-a-user'
export const sessionToken = 'token-of-a-session'

export type World = { gateway: Gateway; operations: ReadonlyMap<string, Operation>; unexpected: unknown[] }

/** The real contract and gateway over handlers that return their operation's example, or a test's values. */
export function exampleWorld(
  handlers: Record<string, AnyHandler> = {},
  limitEverything = false,
  added: ReadonlyMap<string, Operation> = new Map(),
  limiter: Limiter = fixedLimiter(!limitEverything),
  begun: RequestObserver['begun'] = unwatchedRequest,
  grant: Grant | null = null,
): World {
  const unexpected: unknown[] = []
  const map = new Map<string, Operation>([...operations(), ...added])
  const gateway = createGateway({
    operations: map,
    handlers: new Map([...map].map(([id, operation]) => [id, handlers[id] ?? exampleHandler(operation)])),
    ports: fakePorts(grant),
    limiter,
    rules: rateRules,
    isOperator: (token) => token === operatorToken,
    observer: { begun, unexpected: (event) => void unexpected.push(event.error) },
  })
  return { gateway, operations: map, unexpected }
}

/** An observer of unexpected failures only. */
export function unwatched(unexpected: RequestObserver['unexpected']): RequestObserver {
  return { begun: unwatchedRequest, unexpected }
}

/** A request without an observer. */
export function unwatchedRequest(): WatchedRequest {
  return { run: (work) => work(), opened: () => undefined, finished: () => undefined }
}

function fixedLimiter(allowed: boolean): Limiter {
  const take = async (_name: string, rule: RateRule, _key: string, now: Date) => ({
    allowed,
    limit: rule.limit,
    remaining: allowed ? 1 : 0,
    resetAt: now,
    retryAfterSeconds: 7,
  })
  return {
    take,
    charge: take,
    giveBack: async () => undefined,
  }
}

function exampleHandler(operation: Operation): AnyHandler {
  if (operation.kind === 'unary') return async () => operation.example.output
  return async () =>
    (async function* () {
      yield operation.example.output
    })()
}

function fakePorts(grant: Grant | null): Ports {
  const expiresAt = new Date(Date.now() + 60_000)
  const verify = (token: string) => {
    const claims = { id: 't', userId: 1, generation: 0, issuedAt: expiresAt, expiresAt }
    if (token === userToken) return { ...claims, kind: 'user', sessionId: null }
    return token === sessionToken ? { ...claims, kind: 'session', sessionId: 's' } : 'invalid'
  }
  const fakes = {
    clock: clockAt(() => new Date()),
    tokens: { verify },
    accounts: {
      find: async () => ({ id: 1, createdAt: new Date(0), generation: 0 }),
      isRevoked: async () => false,
      onTokensEnded: () => () => undefined,
      onRevoked: () => () => undefined,
    },
    knownAddresses: { note: async () => undefined },
    sessions: {
      onDeleted: () => () => undefined,
      check: async () => ({ generation: 0, revoked: false, grant }),
      find: async () => ({ id: 's', userId: 1 }),
      note: () => undefined,
    },
  }
  return fakes as unknown as Ports // the only ports that the gateway itself uses
}

export const callers = createCallers({ isProxy: proxyCheck([]), origins: ['https://app.example'] })

/** An HTTP server on a free port with REST and whatever else is mounted. */
export async function serveWorld(world: World, more: Partial<HttpParts> = {}, sse?: SseTimes): Promise<HttpServer> {
  const closing = new AbortController()
  const rest = restRoutes({ ...world, callers, closing: closing.signal, ...(sse === undefined ? {} : { sse }) })
  return await serveHttp({
    host: '127.0.0.1',
    port: 0,
    cors: { origins: [] },
    closing,
    graceMs: 200,
    unexpected: (event) => void world.unexpected.push(event.error),
    ...more,
    routes: [rest, ...(more.routes ?? [])],
  })
}

export const authorized = { authorization: `Bearer ${sessionToken}` }
export const json = { 'content-type': 'application/json' }

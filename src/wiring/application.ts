import { createHash, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { grpcMethods } from '../../generated/grpc/services.ts'
import { createRouter, plans } from '../../generated/trpc/router.ts'
import { systemClock } from '../adapters/system/system.ts'
import { operations } from '../contract/index.ts'
import type { Operation } from '../contract/shared/operation.ts'
import { handlersById } from '../domain/index.ts'
import type { Ports } from '../domain/ports/index.ts'
import type { Limiter } from '../domain/ports/limiter.ts'
import { createGateway } from '../gateway/gateway.ts'
import { projectRoot } from '../kit/project.ts'
import type { Observer } from '../observe/observer.ts'
import { authority, hostCheck, isHttpsName, reachable } from '../protocols/address.ts'
import { createCallers, proxyCheck } from '../protocols/caller.ts'
import { closeWithin } from '../protocols/closing.ts'
import { openConnections } from '../protocols/connections.ts'
import { openDoor } from '../protocols/door.ts'
import { serveGrpc } from '../protocols/grpc/server.ts'
import { serveHttp } from '../protocols/http.ts'
import { documentOf, type OpenRpc, parentDocumentOf } from '../protocols/jsonrpc/document.ts'
import { rpcRoute } from '../protocols/jsonrpc/http-route.ts'
import { type RpcServer, serveRpc } from '../protocols/jsonrpc/server.ts'
import { mcpRoutes } from '../protocols/mcp/server.ts'
import { consoleRoutes } from '../protocols/pages/console/server.ts'
import { documentRoutes } from '../protocols/pages/docs/server.ts'
import { explorerRoutes } from '../protocols/pages/explorer/server.ts'
import { guideRoutes } from '../protocols/pages/guides/server.ts'
import { healthRoutes } from '../protocols/pages/health/server.ts'
import { sendNotFound } from '../protocols/pages/page.ts'
import { captchaFields } from '../protocols/pages/services/captcha.ts'
import type { FaucetFacts } from '../protocols/pages/services/faucet-page.ts'
import { serviceRoutes } from '../protocols/pages/services/server.ts'
import { restProtocol } from '../protocols/protocols.ts'
import { restRoutes } from '../protocols/rest/server.ts'
import { trpcRoutes } from '../protocols/trpc/server.ts'
import type { Config } from '../settings/config.ts'
import { openPorts, ordinaryTimes, type World } from './open-ports.ts'
import { refusedCallers } from './refused-callers.ts'
import { notListening } from './sandbox/not-listening.ts'
import { mcpPartsOf } from './serve-mcp.ts'
import { operatorTokenFile, operatorTokenOf } from './shared-secrets.ts'

/** The running gateway. Disposing of it ends streams, then the servers, then everything behind them. */
export type Application = AsyncDisposable & {
  /** `l1` is the embedded parent chain. */
  listening: { http: string; grpc: string; rpc: string; l1?: string }
  /** True where the faucet pays. */
  hasFaucet: boolean
  /** Lines that describe chain, storage and assistant. */
  runsOn: string[]
  /** The file with the operator token; null where OPERATOR_TOKEN is set. */
  operatorToken: string | null
  /** Tells balancers and callers to go elsewhere; everything is still served. */
  drain(): void
}

/** Milliseconds that open requests may take to finish once the gateway stops. */
export const graceMs = 5_000

/** Opens everything that a configuration names, and serves it. What was opened is closed again if a later part fails. */
export async function openApplication(config: Config, observer: Observer, times = ordinaryTimes): Promise<Application> {
  await using opened = new AsyncDisposableStack()
  let publicUrl = config.PUBLIC_URL ?? ''
  const world = opened.use(await openPorts(config, observer, () => publicUrl, times))
  const shared = sharedParts(config, world, observer)
  const { byId, closing, connections, draining, refused, streams } = shared
  const servers: { close(): Promise<void> }[] = []
  opened.defer(async () => {
    closing.abort()
    const written = closeWithin(graceMs, world.answersWritten(), () => undefined)
    await Promise.all([written, ...servers.map((server) => server.close())])
  })

  const openrpc: OpenRpc = JSON.parse(readFileSync(projectFile('openapi/openrpc.json'), 'utf8'))
  const rpcUrl = Promise.withResolvers<string>()
  let rpc: RpcServer | undefined
  const cors = { origins: config.CORS_ORIGINS ?? [] }
  const publicName = config.PUBLIC_URL === undefined ? [] : [new URL(config.PUBLIC_URL).hostname]
  const servesHost = hostCheck([...publicName, ...(config.ALLOWED_HOSTS ?? [])], refused.host)
  const common = { ...streams, host: config.HOST, graceMs, connections, ...tlsOf(config) }
  const http = await serveHttp({
    ...common,
    port: config.HTTP_PORT,
    hsts: isHttpsName(config.PUBLIC_URL),
    cors,
    door: openDoor(streams, { servesHost, origins: cors.origins, publicUrl: () => publicUrl, refused: refused.origin }),
    closing,
    notFoundPage: sendNotFound,
    routes: [
      restRoutes({ ...streams, operations: byId }),
      trpcRoutes({ ...streams, createRouter, plans }),
      rpcRoute({ ...streams, operations: byId, openrpc, url: () => rpc?.url ?? '' }),
      mcpRoutes({
        ...streams,
        ...mcpPartsOf(config, world.ports, projectFile('openapi/mcp.json')),
        publicUrl: () => publicUrl,
      }),
      ...(await pageRoutes(
        config,
        world,
        observer,
        shared,
        rpcUrl.promise.then((url) => documentOf(openrpc, url)),
      )),
    ],
  }).catch(notListening('HTTP_PORT', config))
  servers.push(http)
  publicUrl ||= http.url
  const grpc = await serveGrpc({
    ...common,
    port: config.GRPC_PORT,
    methods: grpcMethods,
    descriptors: readFileSync(projectFile('generated/grpc/descriptor.binpb')),
    checks: world.checks,
  }).catch(notListening('GRPC_PORT', config))
  servers.push(grpc)
  const node = { ...common, cors, operations: byId, openrpc, servesHost }
  rpc = await serveRpc({ ...node, port: config.RPC_PORT }).catch(notListening('RPC_PORT', config))
  servers.push(rpc)
  rpcUrl.resolve(rpc.url)
  const l1 = await serveParent(config, world, shared, node)
  if (l1 !== null) servers.push(l1)

  const resources = opened.move()
  return {
    listening: {
      http: http.url,
      grpc: authority(reachable(config.HOST), grpc.port),
      rpc: rpc.url,
      ...(l1 === null ? {} : { l1: l1.url }),
    },
    hasFaucet: world.ports.signer.treasury !== null,
    runsOn: world.runsOn,
    operatorToken: config.OPERATOR_TOKEN === undefined ? join(config.DATA_DIR, operatorTokenFile) : null,
    drain: () => draining.abort(),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

type Shared = ReturnType<typeof sharedParts>

/** What several servers use: the gateway, its rates, and the way to recognise callers. */
export function sharedParts(config: Config, world: World, observer: Observer) {
  const byId = new Map<string, Operation>(operations())
  const { limiter } = world
  const isOperator = equals(operatorTokenOf(config))
  const gatewayOver = (ports: Ports) =>
    createGateway({
      operations: byId,
      handlers: handlersById(),
      ports,
      limiter,
      rules: config.rateRules,
      isOperator,
      observer,
    })
  const isProxy = proxyCheck(config.TRUSTED_PROXIES ?? [])
  const callers = createCallers({
    origins: config.CORS_ORIGINS ?? [],
    isProxy,
    apiKeys: config.RPC_API_KEYS ?? [],
  })
  const [draining, closing] = [new AbortController(), new AbortController()]
  const gateway = gatewayOver(world.ports)
  const streams = {
    gateway,
    callers,
    draining: draining.signal,
    closing: closing.signal,
    unexpected: observer.unexpected,
  }
  const refused = refusedCallers(config, observer.refusedCallers)
  const connections = openConnections({ isProxy, refused: refused.connections })
  return { byId, limiter, isOperator, gatewayOver, callers, draining, closing, streams, connections, refused }
}

/** The routes of pages and documents: console, API reference, guides, health, metrics, explorer, faucet and bridge. */
async function pageRoutes(config: Config, world: World, observer: Observer, shared: Shared, openrpc: Promise<unknown>) {
  const { callers, limiter, streams } = shared
  return [
    await documentRoutes({
      openapi: projectFile('openapi/openapi.json'),
      server: config.PUBLIC_URL ?? '/',
      samples: sampleAddresses(config),
      openrpc,
      mcp: projectFile('openapi/mcp.json'),
    }),
    guideRoutes({ root: projectRoot }),
    await consoleRoutes(projectFile('dist/console')),
    healthOf(config, world, observer, shared),
    explorerRoutes({ source: world.explorer, callers, take: takeOf(limiter, config.rateRules) }),
    serviceRoutes({
      gateway: streams.gateway,
      callers,
      protocol: restProtocol,
      faucet: faucetFacts(config, world.ports),
    }),
  ]
}

/** Where the samples of the reference send their requests; a port that the system chooses is shown as the usual one. */
function sampleAddresses(config: Config): { http: string; grpc: string; encrypted: boolean } {
  const { PUBLIC_URL, HTTP_PORT, GRPC_PORT, TLS_CERT } = config
  const encrypted = PUBLIC_URL === undefined ? TLS_CERT !== undefined : isHttpsName(PUBLIC_URL)
  const host = PUBLIC_URL === undefined ? '127.0.0.1' : new URL(PUBLIC_URL).hostname
  const http = PUBLIC_URL ?? `${encrypted ? 'https' : 'http'}://${host}:${HTTP_PORT || 8_000}`
  return { http, grpc: `${host}:${GRPC_PORT || 50_051}`, encrypted }
}

/** The routes of health and metrics. */
export function healthOf(
  config: Config,
  world: World,
  observer: Observer,
  { callers, closing, draining, isOperator }: Shared,
) {
  const isScraper = config.METRICS_TOKEN === undefined ? () => false : equals(config.METRICS_TOKEN)
  return healthRoutes({
    checks: world.checks,
    metrics: observer.metrics,
    mayReadMetrics: (request) => {
      const { token } = callers.ofHttp(request, { protocol: restProtocol, requestId: '', signal: closing.signal })
      return token !== null && (isOperator(token) || isScraper(token))
    },
    draining: draining.signal,
    closing: closing.signal,
  })
}

/** What the page of the faucet says of it. */
function faucetFacts(config: Config, { chains, faucetSettings, signer }: Ports): FaucetFacts {
  const { CAPTCHA_VERIFY_URL: verifyUrl, CAPTCHA_SITE_KEY: siteKey } = config
  return {
    amount: faucetSettings.amount,
    cooldownSeconds: faucetSettings.cooldownMs / 1_000,
    nativeSymbol: chains.default.info.nativeSymbol,
    isOn: signer.treasury !== null,
    captcha: verifyUrl === undefined ? null : captchaFields(verifyUrl, siteKey),
  }
}

/** Serves the embedded parent chain; null with a public chain. */
async function serveParent(
  config: Config,
  { parentPorts }: World,
  { gatewayOver }: Shared,
  node: Omit<Parameters<typeof serveRpc>[0], 'port'> & { openrpc: OpenRpc },
) {
  if (parentPorts === null) return null
  return await serveRpc({
    ...node,
    gateway: gatewayOver(parentPorts),
    openrpc: parentDocumentOf(node.openrpc),
    port: config.L1_RPC_PORT,
  }).catch(notListening('L1_RPC_PORT', config))
}

/** Reads of the node that a page of the explorer makes, about. */
const readsOfPage = 10

/**
 * Counts a page of the explorer as its reads, by the node rate of the client's address, and returns the seconds to wait, 0
 * where it may go on.
 */
function takeOf(limiter: Limiter, rules: Config['rateRules']): (clientAddress: string) => Promise<number> {
  if (rules === 'off') return async () => 0
  return async (address) => {
    const take = async () => await limiter.take('node', rules.node, `address:${address}`, systemClock.now())
    const { retryAfterSeconds } = await take()
    // Those past the rate are not counted.
    if (retryAfterSeconds === 0) for (let read = 1; read < readsOfPage; read += 1) await take()
    return retryAfterSeconds
  }
}

function projectFile(path: string): URL {
  return new URL(path, projectRoot)
}

export function tlsOf({ TLS_CERT, TLS_KEY }: Config): { tls?: { cert: string; key: string } } {
  if (TLS_CERT === undefined || TLS_KEY === undefined) return {}
  return { tls: { cert: readFileSync(TLS_CERT, 'utf8'), key: readFileSync(TLS_KEY, 'utf8') } }
}

/** Compares digests, so that the time taken reveals neither the token nor its length. */
function equals(secret: string): (token: string) => boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const expected = digest(secret)
  return (token) => timingSafeEqual(digest(token), expected)
}

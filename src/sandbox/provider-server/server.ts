import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, ListenOptions } from 'node:net'
import type { Duplex } from 'node:stream'
import { parseJson } from '../../kit/values.ts'
import { isEngineUnavailable } from '../kit/rpc-error.ts'
import { applyFault, applyUpgradeFault, createFaults, type Fault, type Faults, faultRule } from './faults.ts'

/** A request to a service. The path is without the service's prefix. */
type ServiceRequest = { method: string; path: string; query: URLSearchParams; body: string }

/** A response with status 200 unless given. */
export type ServiceReply = { status?: number; json: unknown } | { status?: number; text: string }

/** A provider that the sandbox imitates. */
export type Service = {
  prefix: `/${string}`
  /** Returns null where it has no such path. */
  respond(request: ServiceRequest): Promise<ServiceReply | null>
  /** The WebSocket endpoint of the provider server. */
  socket?: {
    /** Accepts a connection, whose messages show the fault. */
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, fault: Fault | null): void
    /** Ends every connection. */
    disconnectAll(): void
  }
}

/** The sandbox's providers, for a server of any port. */
export type ProviderHandlers = AsyncDisposable & {
  request(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Ends every WebSocket: a server waits for them when it closes. */
  cut(): void
  /** Injected faults, for tests. */
  faults: Faults
}

type HandlerOptions = { controlPath: string | null; failed: (thrown: unknown) => void }

const maxBodyBytes = 65_536

/**
 * Answers as providers do, in their own formats. Faults can be injected through the Unix socket `controlPath`, which no
 * caller of the gateway can reach; null disables it.
 */
export async function handleProviders(
  services: readonly Service[],
  { controlPath, failed }: HandlerOptions,
): Promise<ProviderHandlers> {
  const faults = createFaults(({ path }) => {
    // A connection that is already open would never show the fault.
    for (const { prefix, socket } of services) if (`${prefix}/stream`.startsWith(path)) socket?.disconnectAll()
  })
  await using opened = new AsyncDisposableStack()
  const upgraded = new Set<Duplex>()
  if (controlPath !== null) opened.use(await serveControls(controlPath, faults))
  const resources = opened.move()
  return {
    request(request, response) {
      respond(services, faults, request, response).catch((thrown: unknown) => {
        // While the engine restarts, its providers are unavailable, as any provider may be. Callers try again.
        const unavailable = isEngineUnavailable(thrown)
        if (!unavailable) failed(thrown)
        const [status, error] = unavailable ? [503, 'unavailable'] : [500, 'internal']
        if (response.headersSent) response.destroy()
        else response.writeHead(status).end(JSON.stringify({ error }))
      })
    },
    upgrade(request, socket, head) {
      const path = request.url ?? ''
      upgraded.add(socket)
      socket.on('close', () => upgraded.delete(socket))
      socket.on('error', () => socket.destroy())
      const service = services.find(({ prefix }) => path.startsWith(`${prefix}/`))
      const fault = faults.take(path)
      if (service?.socket === undefined) socket.destroy()
      else applyUpgradeFault(fault, socket, () => service.socket?.upgrade(request, socket, head, fault))
    },
    cut() {
      for (const socket of upgraded) socket.destroy()
    },
    faults,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Providers on a loopback port. */
export type ProviderServer = AsyncDisposable & {
  /** Address without a path, such as `http://127.0.0.1:40123`; a service's base URL is this and its prefix. */
  url: string
  /** Injected faults, for tests. */
  faults: Faults
}

/** Serves providers alone, on a free loopback port unless one is given. */
export async function serveProviders(
  services: readonly Service[],
  { port = 0, ...options }: HandlerOptions & { port?: number },
): Promise<ProviderServer> {
  return await serveHandlers(await handleProviders(services, options), port)
}

/** Serves handlers on a loopback port, a free one if 0. Disposing of the server disposes of them. */
export async function serveHandlers(handlers: ProviderHandlers, port: number): Promise<ProviderServer> {
  await using opened = new AsyncDisposableStack()
  opened.use(handlers)
  const server = createServer(handlers.request).on('upgrade', handlers.upgrade)
  opened.use(await listening(server, { port, host: '127.0.0.1' }))
  opened.defer(handlers.cut)
  const { port: taken } = server.address() as AddressInfo
  const resources = opened.move()
  return {
    url: `http://127.0.0.1:${taken}`,
    faults: handlers.faults,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function respond(
  services: readonly Service[],
  faults: Faults,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = URL.parse(request.url ?? '', 'http://127.0.0.1')
  const body = await bodyOf(request)
  if (url === null || body === null) return void response.writeHead(400).end()
  const { pathname, searchParams: query } = url
  const service = services.find(({ prefix }) => pathname.startsWith(`${prefix}/`))
  const asked = { method: request.method ?? 'GET', path: pathname.slice(service?.prefix.length), query, body }
  const reply = async () => (await service?.respond(asked)) ?? notFound
  const fault = faults.take(pathname)
  if (fault !== null && (await applyFault(fault, response, async () => textOf(await reply())))) return
  const found = await reply()
  const type = 'json' in found ? 'application/json' : 'text/plain'
  response.writeHead(found.status ?? 200, { 'content-type': type, 'x-provider': 'sandbox' }).end(textOf(found))
}

const notFound = { status: 404, json: { error: 'not found' } }

function textOf(reply: ServiceReply): string {
  return 'json' in reply ? JSON.stringify(reply.json) : reply.text
}

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.byteLength
    if (length > maxBodyBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Listens until it is disposed, which ends all connections but those of WebSockets. */
export async function listening(server: Server, where: ListenOptions): Promise<AsyncDisposable> {
  await once(server.listen(where), 'listening')
  return {
    async [Symbol.asyncDispose]() {
      const closed = once(server.close(), 'close')
      server.closeAllConnections()
      await closed
    },
  }
}

/** Serves the fault controls on a Unix socket: POST adds a rule, DELETE removes all rules. */
async function serveControls(path: string, faults: Faults): Promise<AsyncDisposable> {
  rmSync(path, { force: true })
  const server = createServer((request, response) => {
    handle(faults, request, response).catch(() => response.destroy()) // the client has disconnected
  })
  const listener = await listening(server, { path })
  chmodSync(path, 0o600)
  return listener
}

async function handle(faults: Faults, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const rule = faultRule.safeParse(parseJson((await bodyOf(request)) ?? ''))
  if (request.method === 'DELETE') {
    faults.clear()
    return void response.end('{}')
  }
  if (rule.success) faults.set(rule.data)
  response.writeHead(rule.success ? 200 : 422).end(rule.success ? '{}' : JSON.stringify(rule.error.issues))
}

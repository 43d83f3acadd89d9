import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHTTPHandler } from '@trpc/server/adapters/standalone'
import { applyWSSHandler } from '@trpc/server/adapters/ws'
import { WebSocketServer } from 'ws'
import { listening, type ProviderHandlers } from '../provider-server/server.ts'
import type { SandboxRouter } from './router.ts'

/** The path of the calls; every other path is of the providers. */
export const callsPath = '/trpc'

type ServiceOptions = {
  host: string
  /** 0 takes a free one. */
  port: number
  /** What a gateway sends as bearer token or password; null lets every program of this machine in, and no browser. */
  token: string | null
  router: SandboxRouter
  providers: ProviderHandlers
}

/** The largest call: a signed transaction of 128 KiB is 256 KiB of hex, and a call may have overrides. */
const mostBytes = 2 * 1_048_576

/** A reader of events that leaves so many bytes unread is cut, and connects anew. */
const mostUnread = 8 * 1_048_576
const cutMs = 5_000

/** Serves a sandbox to gateways: its calls and events over tRPC, and its providers. Returns the port. */
export async function serveSandbox(options: ServiceOptions): Promise<AsyncDisposable & { port: number }> {
  const { router, providers, host, port } = options
  const calls = createHTTPHandler({ router, basePath: `${callsPath}/`, maxBodySize: mostBytes })
  const isAdmitted = admission(options.token)
  const server = createServer((request, response) => {
    if (!isAdmitted(request)) response.writeHead(401).end(refusal)
    else if (request.url?.startsWith(`${callsPath}/`)) calls(request, response)
    else providers.request(request, response)
  })
  await using opened = new AsyncDisposableStack()
  const sockets = new WebSocketServer({ noServer: true, maxPayload: mostBytes })
  const events = applyWSSHandler({
    wss: sockets,
    router,
    keepAlive: { enabled: true, pingMs: 5_000, pongWaitMs: 10_000 },
  })
  const cut = setInterval(() => {
    for (const client of sockets.clients) if (client.bufferedAmount > mostUnread) client.terminate()
  }, cutMs).unref()
  opened.defer(() => clearInterval(cut))
  server.on('upgrade', (request, socket, head) => {
    // Node has taken its own listener off, and an error without one ends the process.
    socket.on('error', () => socket.destroy())
    if (!isAdmitted(request)) socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n', () => socket.destroy())
    else if (request.url?.startsWith(callsPath))
      sockets.handleUpgrade(request, socket, head, (client) => sockets.emit('connection', client, request))
    else providers.upgrade(request, socket, head)
  })
  opened.use(providers)
  opened.use(await listening(server, { host, port }))
  opened.defer(() => {
    providers.cut()
    events.broadcastReconnectNotification()
    for (const client of sockets.clients) client.terminate()
  })
  const { port: taken } = server.address() as AddressInfo
  const resources = opened.move()
  return { port: taken, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

const refusal = 'Send the token of SANDBOX_TOKEN. A sandbox without a token serves programs of its own machine alone.\n'

/** Whether a request may come in: by its token, or by a local name that no web page can send. */
function admission(token: string | null): (request: IncomingMessage) => boolean {
  if (token === null)
    return ({ headers }) =>
      headers.origin === undefined && /^(localhost|127\.[\d.]+|\[::1\])(:\d+)?$/.test(headers.host ?? '')
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const expected = digest(token)
  return ({ headers: { authorization = '' } }) => {
    const [scheme = '', given = ''] = authorization.split(' ')
    const basic = () => Buffer.from(given, 'base64').toString().split(':').slice(1).join(':')
    return timingSafeEqual(digest(/^basic$/i.test(scheme) ? basic() : given), expected)
  }
}

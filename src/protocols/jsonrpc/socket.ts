import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { WebSocketServer } from 'ws'
import { bounds, tiers } from '../../contract/shared/limits.ts'
import { type Caller, tierOf } from '../../gateway/request.ts'
import { neverAborts } from '../../kit/values.ts'
import type { HostCheck } from '../address.ts'
import { type Callers, requestIdOf } from '../caller.ts'
import type { CorsRules } from '../cors.ts'
import { jsonrpcProtocol } from '../protocols.ts'
import { type Connection, type ConnectionParts, serveConnection } from './connection.ts'
import { envelopeErrors, handshakeErrors, hostError, overLimit, type RpcError } from './errors.ts'
import { failed } from './message.ts'

type SocketParts = Omit<ConnectionParts, 'caller'> & {
  callers: Callers
  cors: CorsRules
  /** False for a Host header that is not served. */
  servesHost: HostCheck
  /** Milliseconds between two pings of a socket. */
  heartbeatMs: number
}

type Sockets = { close(graceMs: number): Promise<void> }

type Refusal = { status: number; error: RpcError; headers?: Record<string, string> }

/** True for requests that become sockets. Any other upgrade is ignored, as HTTP allows. */
export function wantsSocket(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket'
}

/** Milliseconds after which a closing socket is cut whose reader does not read the close frame. */
const closeTimeout = 120_000
const serverOptions = { noServer: true, maxPayload: bounds.bodyBytes, autoPong: false, closeTimeout }

/** Accepts WebSockets on `/` of a server, a bounded number from each address. */
export function acceptSockets(server: Server, parts: SocketParts): Sockets {
  const protocol = new WebSocketServer(serverOptions)
  /** Number of open sockets by tier and address. */
  const counts = new Map<string, number>()
  const connections = new Set<Connection>()
  let closing = false

  function refusalOf(request: IncomingMessage, caller: Caller): Refusal | null {
    const { origin } = request.headers
    if (closing) return { status: 503, error: handshakeErrors.closing, headers: { 'retry-after': '1' } }
    if (!parts.servesHost(request.headers.host)) return { status: 403, error: hostError(request.headers.host) }
    if (request.url?.split('?', 1)[0] !== '/') return { status: 404, error: envelopeErrors.path }
    if (origin !== undefined && !parts.cors.origins.includes(origin))
      return { status: 403, error: handshakeErrors.origin }
    if (caller.apiKey === 'unknown') return { status: 401, error: handshakeErrors.apiKey }
    const most = tiers[tierOf(caller)].sockets
    if ((counts.get(ownerOf(caller)) ?? 0) < most) return null
    return { status: 429, error: overLimit.sockets(most, caller.requestId), headers: { 'retry-after': '1' } }
  }

  function hold(caller: Caller): () => void {
    const owner = ownerOf(caller)
    const change = (by: number) => {
      const count = (counts.get(owner) ?? 0) + by
      if (count === 0) counts.delete(owner)
      else counts.set(owner, count)
    }
    change(1)
    return () => change(-1)
  }

  server.on('upgrade', (request: IncomingMessage, stream: Socket, head: Buffer) => {
    const requestId = requestIdOf([request.headers['x-request-id']].flat()[0])
    const caller = parts.callers.ofHttp(request, { protocol: jsonrpcProtocol, requestId, signal: neverAborts })
    const refusal = refusalOf(request, caller)
    if (refusal !== null) {
      refuse(request, stream, refusal, requestId)
      return
    }
    protocol.handleUpgrade(request, stream, head, (socket) => {
      const release = hold(caller)
      const connection = serveConnection(socket, { ...parts, caller })
      connections.add(connection)
      socket.once('close', () => {
        connections.delete(connection)
        release()
      })
    })
  })
  protocol.on('wsClientError', (_error, stream, request) =>
    refuse(request, stream as Socket, { status: 400, error: handshakeErrors.handshake }, requestIdOf(undefined)),
  )
  const heartbeat = setInterval(() => {
    for (const connection of connections) connection.beat()
  }, parts.heartbeatMs)

  return {
    async close(graceMs) {
      closing = true
      clearInterval(heartbeat)
      const open = [...connections]
      const force = setTimeout(() => {
        for (const connection of open) connection.terminate()
      }, graceMs)
      await Promise.all(open.map(async (connection) => await connection.close())).finally(() => clearTimeout(force))
    },
  }
}

function ownerOf(caller: Caller): string {
  return `${tierOf(caller)} ${caller.clientAddress}`
}

/** Refuses a handshake by a plain HTTP response, and closes the connection. */
function refuse(request: IncomingMessage, stream: Socket, refusal: Refusal, requestId: string): void {
  stream.on('error', () => stream.destroy())
  const body = JSON.stringify(failed(null, refusal.error))
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(stream)
  response.once('finish', () => stream.destroySoon())
  response.writeHead(refusal.status, {
    'x-request-id': requestId,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...refusal.headers,
  })
  response.end(body)
}

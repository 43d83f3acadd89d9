import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { ErrorCode } from '../contract/shared/errors.ts'
import { DomainError } from '../domain/core/errors.ts'
import { authority, reachable } from './address.ts'
import { requestIdOf } from './caller.ts'
import { type Connections, closeIdle, connectionsOfAddress, idleHttpMs, openConnections } from './connections.ts'
import { problemOf, problemType } from './problem.ts'

/** Where a server listens, its certificate and key (PEM) for TLS, and the connections that it counts with others. */
export type Listening = {
  host: string
  port: number
  tls?: { cert: string; key: string }
  connections?: Connections
  /** Milliseconds after which a connection without a request is closed. */
  idleMs?: number
  /** Aborts when the server is to be left: answers then end their connections, so that callers open others elsewhere. */
  draining?: AbortSignal
}

/**
 * A Node.js server that disconnects slow senders, 10 s for the headers and 30 s for the whole request, those that send
 * nothing, and those that have too many connections.
 */
export function nodeServer(
  { tls, connections = openConnections(), idleMs = idleHttpMs, draining }: Listening,
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  options: ServerOptions = {},
): Server {
  const server: Server =
    tls === undefined ? createServer(options, handler) : createTlsServer({ ...options, ...tls }, handler)
  server.headersTimeout = 10_000
  server.requestTimeout = 30_000
  server.keepAliveTimeout = 65_000
  server.on('checkExpectation', refuseExpectation)
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuseRaw(error, socket))
  server.prependListener('connection', (socket: Socket) => {
    if (connections.admit(socket)) return
    // Over TLS nothing can be said before a handshake, which costs too much for a connection too many.
    if (tls !== undefined) socket.destroy()
    else sendRaw(socket, tooMany)
    socket.destroySoon()
  })
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    if (draining?.aborted) response.shouldKeepAlive = false
  })
  closeIdle(server, idleMs, options.shouldUpgradeCallback !== undefined)
  return server
}

/** The port of a listening server, and its URL for a caller on this machine. */
export function boundTo(server: Server, { host, port, tls }: Listening): { url: string; port: number } {
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return { url: `${tls === undefined ? 'http' : 'https'}://${authority(reachable(host), bound)}`, port: bound }
}

/** Refuses invalid HTTP. */
function refuseRaw(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  sendRaw(socket, rawRefusals.get(error.code ?? '') ?? invalid)
}

/** Refuses an `Expect` other than 100-continue, which Node answers by itself; alone it would refuse without a word. */
function refuseExpectation({ headers }: IncomingMessage, response: ServerResponse): void {
  const requestId = requestIdOf([headers['x-request-id']].flat()[0])
  const error = new DomainError('MALFORMED_REQUEST', 'Expect can only be 100-continue. Send the request without it.')
  const body = JSON.stringify({ ...problemOf(error, requestId), status: 417 })
  response.writeHead(417, { 'content-type': problemType, 'x-request-id': requestId }).end(body)
}

type RawRefusal = readonly [status: string, code: ErrorCode, detail: string]

/** Writes a response as text, because there is no request object. */
function sendRaw(socket: Socket, [status, code, detail]: RawRefusal): void {
  const requestId = requestIdOf(undefined)
  const problem = problemOf(new DomainError(code, detail), requestId)
  const body = JSON.stringify({ ...problem, status: Number.parseInt(status, 10) })
  const head = [
    `HTTP/1.1 ${status}`,
    `content-type: ${problemType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

const invalid: RawRefusal = [
  '400 Bad Request',
  'MALFORMED_REQUEST',
  'The request is not valid HTTP/1.1. Check its first line and headers, and whether the URL begins with http or https.',
]

const tooMany: RawRefusal = [
  '429 Too Many Requests',
  'RATE_LIMITED',
  `This address has ${connectionsOfAddress} connections open. Close some, or send requests over those that are open.`,
]

const rawRefusals: ReadonlyMap<string, RawRefusal> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    ['431 Request Header Fields Too Large', 'MALFORMED_REQUEST', 'The headers are larger than 16 KiB. Send less.'],
  ],
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    ['408 Request Timeout', 'MALFORMED_REQUEST', 'The request took too long to arrive. Send it again.'],
  ],
])

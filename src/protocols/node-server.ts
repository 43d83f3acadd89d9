import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { DomainError } from '../domain/core/errors.ts'
import { authority, reachable } from './address.ts'
import { requestIdOf } from './caller.ts'
import { problemOf, problemType } from './problem.ts'

/** Where a server listens, and its certificate and key (PEM) for TLS. */
export type Listening = { host: string; port: number; tls?: { cert: string; key: string } }

/** A Node.js server that disconnects slow senders: 10 s for the headers, 30 s for the whole request. */
export function nodeServer(
  tls: Listening['tls'],
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  options: ServerOptions = {},
): Server {
  const server: Server =
    tls === undefined ? createServer(options, handler) : createTlsServer({ ...options, ...tls }, handler)
  server.headersTimeout = 10_000
  server.requestTimeout = 30_000
  server.keepAliveTimeout = 65_000
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuseRaw(error, socket))
  return server
}

/** The port of a listening server, and its URL for a caller on this machine. */
export function boundTo(server: Server, { host, port, tls }: Listening): { url: string; port: number } {
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return { url: `${tls === undefined ? 'http' : 'https'}://${authority(reachable(host), bound)}`, port: bound }
}

/** Refuses invalid HTTP. The response is written as text, because there is no request object. */
function refuseRaw(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const requestId = requestIdOf(undefined)
  const refusal = rawRefusals.get(error.code ?? '') ?? [
    '400 Bad Request',
    'The request is not valid HTTP/1.1. Check its first line and headers, and whether the URL begins with http or https.',
  ]
  const [status, detail] = refusal
  const problem = problemOf(new DomainError('MALFORMED_REQUEST', detail), requestId)
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

const rawRefusals: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['HPE_HEADER_OVERFLOW', ['431 Request Header Fields Too Large', 'The headers are larger than 16 KiB. Send less.']],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'The request took too long to arrive. Send it again.']],
])

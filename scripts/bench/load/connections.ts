import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { WebSocket } from 'ws'
import { framed, grpcHeaders } from '../../../test/clients/grpc-frame.ts'

/**
 * The bytes of a request as text with one character per byte; `path` is that of the URL or of the gRPC method. Without
 * a body it is a GET over HTTP; `token` is the bearer token, if any.
 */
export type Sent = { path: string; body: string; token?: string }

/** A part of a request that has a new value each time. */
export const marker = '5eed5eed5eed5eed'

/**
 * Returns a function that replaces each marker of each request by a new value, so that no cached response can serve
 * two.
 */
export function numbering(): (request: Sent) => Sent {
  let asked = 0
  const next = () => {
    asked += 1
    return asked.toString(16).padStart(marker.length, '0')
  }
  return (request) => ({ ...request, body: request.body.replaceAll(marker, next) })
}

/** The protocol and the target of a request. */
export type Target = { transport: 'http' | 'websocket' | 'grpc'; address: string }

/**
 * One connection with one open request at a time. `ask` resolves with the size of the response, and throws where there
 * is none.
 */
export type Connection = { ask(request: Sent): Promise<number>; close(): void }

export async function openConnection({ transport, address }: Target): Promise<Connection> {
  if (transport === 'http') return await overHttp(new URL(address))
  if (transport === 'websocket') return await overWebSocket(address)
  return await overGrpc(address)
}

/** Written by hand, because a client library would cost more than what is measured. */
async function overHttp({ hostname, port, host }: URL): Promise<Connection> {
  const socket = await opened(connect(Number(port), hostname))
  let taken: Buffer = Buffer.alloc(0)
  const answer = exchange((chunk: Buffer) => {
    taken = taken.length === 0 ? chunk : Buffer.concat([taken, chunk])
    const size = completeSize(taken)
    if (size === null) return null
    const whole = taken
    taken = Buffer.alloc(0)
    return whole.subarray(0, 12).toString('latin1').endsWith(' 200') ? sized(whole, size) : refused(whole)
  }, socket as Source)
  return {
    ask({ path, body, token }) {
      const authorization = token === undefined ? '' : `authorization: Bearer ${token}\r\n`
      const head = `${path} HTTP/1.1\r\nhost: ${host}\r\n${authorization}`
      const typed = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`
      socket.write(body === '' ? `GET ${head}\r\n` : `POST ${head}${typed}\r\n${body}`)
      return answer()
    },
    close: () => socket.destroy(),
  }
}

/** The size of a response body once it is complete. */
function completeSize(bytes: Buffer): number | null {
  const end = bytes.indexOf('\r\n\r\n') + 4
  if (end < 4) return null
  const head = bytes.subarray(0, end).toString('latin1')
  const length = /^content-length: (\d+)/im.exec(head)?.[1]
  if (length !== undefined) return bytes.length >= end + Number(length) ? Number(length) : null
  return bytes.subarray(-5).toString('latin1') === '0\r\n\r\n' ? bytes.length - end : null
}

async function overWebSocket(address: string): Promise<Connection> {
  const socket = new WebSocket(address, { perMessageDeflate: false })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const answer = exchange((message: Buffer) => sized(message, message.length), socket as Source, 'message')
  return {
    ask({ body }) {
      socket.send(body)
      return answer()
    },
    close: () => socket.terminate(),
  }
}

async function overGrpc(address: string): Promise<Connection> {
  const session = connectHttp2(`http://${address}`)
  await new Promise((resolve, reject) => session.once('connect', resolve).once('error', reject))
  return {
    ask({ path, body, token }) {
      const head = { ...grpcHeaders, ':path': path }
      const stream = session.request(token === undefined ? head : { ...head, authorization: `Bearer ${token}` })
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      let size = 0
      let status: unknown = 'none'
      const note = (headers: Record<string, unknown>) => {
        status = headers['grpc-status'] ?? status
      }
      stream.on('response', note).on('trailers', note)
      stream.on('data', (chunk: Buffer) => {
        size += chunk.length
      })
      stream.on('error', reject)
      stream.on('end', () =>
        status === '0' ? resolve(size) : reject(new Error(`${path} ended with status ${status}`)),
      )
      stream.end(framed(Buffer.from(body, 'latin1')))
      return promise
    },
    close: () => session.destroy(),
  }
}

/** The text by which a JSON-RPC body shows an error, because its status is 200. */
export const failure = '"error":'

/** The size of a response; throws where it is an error. */
function sized(answer: Buffer, size: number): number {
  return answer.includes(failure) ? refused(answer) : size
}

function refused(answer: Buffer): never {
  throw new Error(answer.subarray(0, 2_000).toString())
}

type Source = { on(event: string, listener: (value: Buffer) => void): unknown }

/** Makes the function that waits for the next response; `take` returns its size once a chunk completes it. */
function exchange(take: (chunk: Buffer) => number | null, source: Source, event = 'data'): () => Promise<number> {
  let waiting = Promise.withResolvers<number>()
  source.on(event, (chunk: Buffer) => {
    try {
      const size = take(chunk)
      if (size !== null) waiting.resolve(size)
    } catch (error) {
      waiting.reject(error)
    }
  })
  source.on('close', () => waiting.reject(new Error('The connection was closed.')))
  waiting.promise.catch(() => undefined)
  return () => {
    waiting = Promise.withResolvers()
    return waiting.promise
  }
}

function opened(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(socket)).once('error', reject)
  })
}

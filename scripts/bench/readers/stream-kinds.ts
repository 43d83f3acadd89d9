import { connect, type Socket } from 'node:net'
import { grpcMethods } from '../../../generated/grpc/services.ts'
import { framed } from '../../../test/clients/grpc-frame.ts'
import {
  ack,
  endHeaders,
  endStream,
  frame,
  headerBlock,
  kinds,
  preface,
  uint32,
} from '../../../test/fuzz/http2-frames.ts'

/** Milliseconds of a clock that every process of the machine shares. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/**
 * Subscribes to new heads over a socket and reports each as soon as its last byte has arrived. Resolves once the server
 * has sent something; `lost` receives the last bytes where the server closes the connection.
 */
export function readHeads(
  to: { port: number; host: string } | { path: string },
  { ask, event }: Pick<StreamKind, 'ask' | 'event'>,
  from: string,
  received: { head(hash: string, text: string): void; lost(last: string): void },
): Promise<Socket> {
  let text = ''
  const socket = connect(to)
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    for (let found = event.exec(text); found !== null; found = event.exec(text)) {
      text = text.slice(found.index + found[0].length)
      received.head(found[1] ?? '', found[0])
    }
  })
  socket.on('error', () => undefined) // it closes next
  socket.on('close', () => received.lost(text.slice(-500)))
  socket.write(ask(from))
  return new Promise((resolve) => socket.once('data', () => resolve(socket)).once('close', () => resolve(socket)))
}

/**
 * A way to receive new heads: the bytes of the request, and the form of a complete event, with one character per byte.
 */
type StreamKind = {
  /** The bytes that a reader sends once connected; `from` is the client address that it states. */
  ask(from: string): Buffer
  /** Matches up to an event's end; its group is the block's hash. */
  event: RegExp
  /** The bytes of an event for the bare server of this kind. */
  bytesOf(head: object): Buffer
}

export type KindName = keyof typeof streamKinds

const subscribe = '{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}'
const { path, encodeRequest, encodeResponse } = grpcMethods['chain.subscribe']

/** Written by hand: a client library for some thousand readers would cost more than what is measured. */
export const streamKinds = {
  SSE: {
    ask: (from) => httpHead('/trpc/chain.subscribe?input=%7B%22type%22%3A%22newHeads%22%7D', from),
    event: /"hash":"(0x[0-9a-f]{64})"[^\n]*\n/,
    bytesOf: (head) => Buffer.from(`data: ${JSON.stringify({ type: 'newHeads', head })}\n\n`),
  },
  WebSocket: {
    ask: (from) => Buffer.concat([httpHead('/', from, upgrade), maskedFrame(Buffer.from(subscribe))]),
    event: /"hash":"(0x[0-9a-f]{64})".*?}}}/,
    bytesOf(result) {
      const params = { subscription: `0x${'5e'.repeat(16)}`, result }
      return Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }))
    },
  },
  gRPC: {
    ask: (from) => http2Call(path, from, Buffer.from(encodeRequest({ type: 'newHeads' }))),
    // The block's hash is the first text of 66 characters.
    event: /newHeads.*?B(0x[0-9a-f]{64})/s,
    bytesOf: (head) => encodeResponse({ type: 'newHeads', head }),
  },
} as const satisfies Record<string, StreamKind>

/** The engine's own socket, whose messages are lines. */
export const engineKind: Pick<StreamKind, 'ask' | 'event'> = {
  ask: () => Buffer.from(`${subscribe}\n`),
  event: /\{[^\n]*"hash":"(0x[0-9a-f]{64})".*?}}}\n/,
}

const upgrade = [
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  `sec-websocket-key: ${Buffer.alloc(16).toString('base64')}`,
]

function httpHead(target: string, from: string, more: string[] = []): Buffer {
  return Buffer.from(
    [`GET ${target} HTTP/1.1`, 'host: 127.0.0.1', `x-forwarded-for: ${from}`, ...more, '', ''].join('\r\n'),
  )
}

/** A text frame of a WebSocket client, masked with zeros. */
function maskedFrame(text: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text])
}

/** A connection with one call, whose windows are so large that they never need an update. */
function http2Call(method: string, from: string, message: Buffer): Buffer {
  const headers = {
    ':method': 'POST',
    ':scheme': 'http',
    ':path': method,
    ':authority': '127.0.0.1',
    te: 'trailers',
    'content-type': 'application/grpc',
    'x-forwarded-for': from,
  }
  const streamWindow = Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff])
  return Buffer.concat([
    preface,
    frame(kinds.settings, 0, 0, streamWindow),
    frame(kinds.settings, ack, 0),
    frame(kinds.window, 0, 0, uint32(0x7fff0000)), // of the connection
    frame(kinds.headers, endHeaders, 1, headerBlock(headers)),
    frame(kinds.data, endStream, 1, framed(message)),
  ])
}

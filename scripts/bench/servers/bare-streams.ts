import { createServer } from 'node:http'
import { Server, type ServerWritableStream } from '@grpc/grpc-js'
import { WebSocketServer } from 'ws'
import { grpcMethods } from '../../../generated/grpc/services.ts'
import { type KindName, sharedNow, streamKinds } from '../readers/stream-kinds.ts'
import { grpcPort, listening } from './served.ts'

/** Sends prepared bytes to all readers: the least that a server of streams can cost. */
type Bare = { port: number; give(bytes: Buffer): void }

const bareServers: Record<KindName, () => Promise<Bare>> = {
  async SSE() {
    const readers = new Set<{ write(bytes: Buffer): unknown }>()
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      readers.add(response)
    })
    return { port: await listening(server), give: toEach(readers, (reader, bytes) => reader.write(bytes)) }
  },
  async WebSocket() {
    const server = createServer()
    const { clients } = new WebSocketServer({ server })
    return {
      port: await listening(server),
      give: toEach(clients, (reader, bytes) => reader.send(bytes, { binary: false })),
    }
  },
  async gRPC() {
    const readers = new Set<ServerWritableStream<Buffer, Buffer>>()
    const server = new Server()
    const same = (bytes: Buffer) => bytes
    const codec = {
      requestSerialize: same,
      requestDeserialize: same,
      responseSerialize: same,
      responseDeserialize: same,
    }
    const { path } = grpcMethods['chain.subscribe']
    server.addService(
      { Subscribe: { path, requestStream: false, responseStream: true, ...codec } },
      { Subscribe: (call: ServerWritableStream<Buffer, Buffer>) => void readers.add(call) },
    )
    const port = await grpcPort(server)
    return { port, give: toEach(readers, (reader, bytes) => reader.write(bytes)) }
  },
}

function toEach<Reader>(readers: Iterable<Reader>, write: (reader: Reader, bytes: Buffer) => unknown): Bare['give'] {
  return (bytes) => {
    for (const reader of readers) write(reader, bytes)
  }
}

const kind = process.argv[2] as KindName
const started = bareServers[kind]()

/**
 * Runs as a separate process: it sends its port, and for each head the time of its arrival; it ends with its parent.
 */
process.once('disconnect', () => process.exit())
process.on('message', async (asked: 'port' | { head: object }) => {
  const { port, give } = await started
  if (asked === 'port') {
    process.send?.(port)
    return
  }
  const began = sharedNow()
  give(streamKinds[kind].bytesOf(asked.head))
  process.send?.(began)
})

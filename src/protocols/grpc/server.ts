import {
  logVerbosity,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
  setLogVerbosity,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { HealthImplementation } from 'grpc-health-check'
import { bounds } from '../../contract/shared/limits.ts'
import { onceEach } from '../../gateway/once-each.ts'
import { closeWithin } from '../closing.ts'
import { type Connections, openConnections } from '../connections.ts'
import { isReady } from '../readiness.ts'
import { answerBytes } from './answer-size.ts'
import { type ExchangeParts, messageCounter, serveStream, serveUnary } from './exchange.ts'
import { identified } from './interceptor.ts'
import { boundConnections, refuseUnknownMethods } from './library-internals.ts'
import type { GrpcMethod } from './method.ts'
import { addReflection } from './reflection.ts'

type GrpcParts = Omit<ExchangeParts, 'closing' | 'slowReaderMs'> & {
  /** The generated table, by operation id. */
  methods: Readonly<Record<string, GrpcMethod>>
  /** The services and that of health as a serialised FileDescriptorSet with all imports, for reflection. */
  descriptors: Uint8Array
  host: string
  port: number
  tls?: { cert: string; key: string }
  /** The checked parts by name, as `/health/ready` has them; the health service follows them. Absent, it serves. */
  checks?: () => Promise<Record<string, string>>
  /** Milliseconds between two checks. */
  checkMs?: number
  /** Milliseconds that calls may take to finish once closing. */
  graceMs: number
  slowReaderMs?: number
  /** The connections that it counts with other servers. */
  connections?: Connections
  /** Milliseconds after which a connection without a call gets GOAWAY. */
  idleMs?: number
  /** Aborts when the server is to be left: its health service then reports that it does not serve, and it still does. */
  draining?: AbortSignal
  /** Milliseconds within which the message of a call must arrive. */
  arrivalMs?: number
}

export type GrpcServer = { port: number; close(): Promise<void> }

/** Most concurrent calls of one connection. This also bounds calls that the gateway does not count, such as health. */
export const callsOfConnection = 1_000

/** Starts the gRPC server with reflection and health. Messages of callers are at most 1 MiB, also once decompressed. */
export async function serveGrpc(parts: GrpcParts): Promise<GrpcServer> {
  // The log of grpc-js repeats invalid input of callers, tokens included. Failures of the server go to `unexpected`.
  setLogVerbosity(logVerbosity.NONE)
  const closing = new AbortController()
  const exchange = { ...parts, closing: closing.signal, slowReaderMs: parts.slowReaderMs ?? 30_000 }
  const server = new Server({
    'grpc.max_receive_message_length': bounds.bodyBytes,
    'grpc.max_send_message_length': answerBytes.most,
    'grpc.max_concurrent_streams': callsOfConnection,
    'grpc.keepalive_time_ms': 60_000,
    'grpc.max_connection_idle_ms': parts.idleMs ?? 600_000,
    'grpc.enable_channelz': 0, // its counters have no reader here
    interceptors: [identified(parts.arrivalMs ?? 30_000)],
  })
  refuseUnknownMethods(server)
  boundConnections(server, parts.connections ?? openConnections())
  const services = Map.groupBy(Object.values(parts.methods), ({ service }) => service)
  for (const methods of services.values()) server.addService(definitionOf(methods), implementationOf(exchange, methods))
  const health = serveHealth(server, ['', ...services.keys()], parts)
  parts.draining?.addEventListener('abort', () => health.close(), { once: true })
  const listed = [...services.keys(), 'grpc.health.v1.Health']
  addReflection(server, parts.descriptors, listed, (call) => messageCounter(parts, call))
  const port = await listen(server, parts)
  return {
    port,
    async close() {
      health.close()
      closing.abort()
      await closeGently(server, parts.graceMs)
    },
  }
}

/** Serves health, which follows the checks. Closed, it reports that nothing is served. */
function serveHealth(
  server: Server,
  names: readonly string[],
  { checks = async () => ({}), checkMs = 5_000 }: GrpcParts,
) {
  const health = new HealthImplementation(Object.fromEntries(names.map((name) => [name, 'SERVING'])))
  health.addToServer(server)
  let closed = false
  const report = (serves: boolean) => {
    for (const name of names) health.setStatus(name, serves && !closed ? 'SERVING' : 'NOT_SERVING')
  }
  const checkLater = () =>
    setTimeout(async () => {
      report(isReady(await checks().catch(() => ({ checks: 'failed' }))))
      if (!closed) timer = checkLater()
    }, checkMs).unref()
  let timer = checkLater()
  return {
    close() {
      closed = true
      clearTimeout(timer)
      report(false)
    },
  }
}

function definitionOf(methods: readonly GrpcMethod[]): ServiceDefinition {
  return Object.fromEntries(
    methods.map(({ service, method, stream }) => [
      method,
      { path: `/${service}/${method}`, requestStream: false, responseStream: stream, ...rawBytes },
    ]),
  )
}

/** Messages stay bytes here. They are decoded later, so that a failure becomes a refusal with details. */
const rawBytes = {
  requestSerialize: (bytes: Buffer) => bytes,
  requestDeserialize: (bytes: Buffer) => bytes,
  responseSerialize: (bytes: Buffer) => bytes,
  responseDeserialize: (bytes: Buffer) => bytes,
}

function implementationOf(parts: ExchangeParts, methods: readonly GrpcMethod[]): UntypedServiceImplementation {
  return Object.fromEntries(
    methods.map((method) => [
      method.method,
      method.stream ? streamHandler(parts, method) : unaryHandler(parts, method),
    ]),
  )
}

function unaryHandler(parts: ExchangeParts, method: GrpcMethod) {
  return (call: ServerUnaryCall<Buffer, Buffer>, respond: sendUnaryData<Buffer>) => {
    void serveUnary(parts, method, call).then((result) =>
      'bytes' in result ? respond(null, result.bytes, result.trailer) : respond(result),
    )
  }
}

function streamHandler(parts: ExchangeParts, { encodeResponse, ...rest }: GrpcMethod) {
  const method = { ...rest, encodeResponse: onceEach(encodeResponse) }
  return (call: ServerWritableStream<Buffer, Buffer>) => {
    void serveStream(parts, method, call).then((status) => (status === null ? call.end() : call.emit('error', status)))
  }
}

async function listen(server: Server, parts: GrpcParts): Promise<number> {
  const { tls } = parts
  const pair = tls === undefined ? null : { cert_chain: Buffer.from(tls.cert), private_key: Buffer.from(tls.key) }
  const credentials = pair === null ? ServerCredentials.createInsecure() : ServerCredentials.createSsl(null, [pair])
  const host = parts.host.includes(':') ? `[${parts.host}]` : parts.host
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  server.bindAsync(`${host}:${parts.port}`, credentials, (error, port) =>
    error === null ? resolve(port) : reject(error),
  )
  return await promise
}

async function closeGently(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.tryShutdown(() => resolve()))
  await closeWithin(graceMs, closed, () => server.forceShutdown())
}

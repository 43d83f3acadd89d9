import { create, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import type { AnyHandler } from '../../src/domain/core/handler.ts'
import type { GrpcMethod } from '../../src/protocols/grpc/method.ts'
import { type GrpcServer, serveGrpc } from '../../src/protocols/grpc/server.ts'
import { callers, exampleWorld, sessionToken, type World } from './world.ts'

/** A service whose messages are JSON, so that tests of the server need no stubs. */

export const service = 'test.v1.TestService'
const methodOf = (id: string, stream = false): GrpcMethod => ({
  id,
  service,
  method: id.replace('.', '_'),
  stream,
  decodeRequest: (bytes) => JSON.parse(Buffer.from(bytes).toString()),
  encodeResponse: (output) => Buffer.from(JSON.stringify(output)),
})
const methods = {
  pnl: methodOf('metrics.realizedPnl'),
  intent: methodOf('trading.previewIntent'),
  resume: methodOf('chat.resume', true),
}

/** A server of the service on a free port, and a client of it; both are to be closed. */
export async function serveJson(
  handlers: Record<string, AnyHandler> = {},
  {
    limited = false,
    ...options
  }: { limited?: boolean; slowReaderMs?: number; arrivalMs?: number; idleMs?: number } = {},
): Promise<{ world: World; server: GrpcServer; client: Client }> {
  const world = exampleWorld(handlers, limited)
  const server = await serveGrpc({
    ...world,
    ...options,
    callers,
    methods,
    descriptors: toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema)),
    host: '127.0.0.1',
    port: 0,
    graceMs: 100,
    unexpected: (event) => void world.unexpected.push(event.error),
  })
  const client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure())
  return { world, server, client }
}

export const raw = (bytes: Buffer) => bytes
export const metadataOf = (fields: Record<string, string> = {}) => {
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${sessionToken}`)
  for (const [name, value] of Object.entries(fields)) metadata.set(name, value)
  return metadata
}

type Unary = { error: ServiceError | null; output: unknown; initial: Metadata; trailers: Metadata }

/** Calls a method by its operation id. */
export async function unary(
  client: Client,
  id: string,
  body: string | Buffer,
  metadata = metadataOf(),
  deadlineMs = 10_000,
): Promise<Unary> {
  const { promise, resolve } = Promise.withResolvers<Unary>()
  const seen = { initial: new Metadata(), error: null as ServiceError | null, output: undefined as unknown }
  const path = `/${service}/${id.replace('.', '_')}`
  const call = client.makeUnaryRequest(
    path,
    raw,
    raw,
    Buffer.from(body),
    metadata,
    { deadline: Date.now() + deadlineMs },
    (error, bytes) => {
      seen.error = error
      seen.output = bytes === undefined ? undefined : JSON.parse(bytes.toString())
    },
  )
  call.on('metadata', (metadata: Metadata) => {
    seen.initial = metadata
  })
  call.on('status', ({ metadata }: { metadata: Metadata }) =>
    setImmediate(() => resolve({ ...seen, trailers: metadata })),
  )
  return await promise
}

/** The google.rpc.Status of trailers, a character a byte. */
export const details = (metadata: Metadata) =>
  Buffer.from(metadata.get('grpc-status-details-bin')[0] as Buffer).toString('latin1')

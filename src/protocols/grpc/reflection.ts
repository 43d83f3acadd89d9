import { once } from 'node:events'
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import type { Server, ServerDuplexStream, StatusObject } from '@grpc/grpc-js'
import type { Descriptors } from './descriptors.ts'

const versions = ['v1', 'v1alpha']

/**
 * Adds server reflection, v1 and v1alpha, so that generic clients need no .proto files. The package `@grpc/reflection` does
 * not do here: it merges the files of a package and names types relatively, which buf curl cannot link. `counter` counts the
 * messages of a call, each of which may be answered with all files.
 */
export function addReflection(
  server: Server,
  known: Descriptors,
  services: readonly string[],
  counter: (call: ReflectionCall) => () => Promise<StatusObject | null>,
): void {
  for (const version of versions) {
    const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`
    const definition = { ServerReflectionInfo: { path, requestStream: true, responseStream: true, ...rawBytes } }
    server.addService(definition, {
      ServerReflectionInfo(call: ReflectionCall) {
        const count = counter(call)
        const serve = async () => {
          for await (const request of call) {
            const refusal = await count()
            if (refusal !== null) return call.emit('error', refusal)
            if (!call.write(Buffer.from(respond(known, services, request as Buffer)))) await once(call, 'drain')
          }
          return call.end()
        }
        // A caller who disconnects ends the loop with an error, which concerns nobody.
        serve().catch(() => undefined)
      },
    })
  }
}

type ReflectionCall = ServerDuplexStream<Buffer, Buffer>

const rawBytes = {
  requestSerialize: (bytes: Buffer) => bytes,
  requestDeserialize: (bytes: Buffer) => bytes,
  responseSerialize: (bytes: Buffer) => bytes,
  responseDeserialize: (bytes: Buffer) => bytes,
}

/** Fields of ServerReflectionResponse. */
const field = { host: 1, request: 2, files: 4, extensions: 5, services: 6, error: 7 }

function respond(known: Descriptors, services: readonly string[], request: Uint8Array): Uint8Array {
  const query = queryOf(request)
  const response = new BinaryWriter()
  bytes(response, field.request, request)
  if (query.kind === 'services') return bytes(response, field.services, listOf(services)).finish()
  const files =
    query.kind === 'file' ? known.byFile(query.name) : query.kind === 'symbol' ? known.bySymbol(query.name) : null
  if (files === null) return bytes(response, field.error, notFound(query.name)).finish()
  const listed = new BinaryWriter()
  for (const file of files) bytes(listed, 1, file)
  return bytes(response, field.files, listed.finish()).finish()
}

type Query = { kind: 'file' | 'symbol' | 'services' | 'other'; name: string }

function queryOf(request: Uint8Array): Query {
  try {
    const reader = new BinaryReader(request)
    let query: Query = { kind: 'other', name: '' }
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag()
      const kind = ({ 3: 'file', 4: 'symbol', 7: 'services' } as const)[number]
      if (kind === undefined) reader.skip(wireType, number)
      else query = { kind, name: reader.string() }
    }
    return query
  } catch {
    return { kind: 'other', name: 'bytes that do not decode' }
  }
}

function listOf(services: readonly string[]): Uint8Array {
  const list = new BinaryWriter()
  for (const name of services) bytes(list, 1, text(1, name))
  return list.finish()
}

function notFound(name: string): Uint8Array {
  const code = new BinaryWriter()
    .uint32((1 << 3) | 0)
    .int32(5)
    .finish()
  return Buffer.concat([code, text(2, `not found: ${name.slice(0, 200)}`)])
}

function text(number: number, value: string): Uint8Array {
  return new BinaryWriter()
    .uint32((number << 3) | 2)
    .string(value)
    .finish()
}

function bytes(writer: BinaryWriter, number: number, value: Uint8Array): BinaryWriter {
  return writer.uint32((number << 3) | 2).bytes(value)
}

import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import type { Server, ServerDuplexStream } from '@grpc/grpc-js'
import type { Descriptors } from './descriptors.ts'

const versions = ['v1', 'v1alpha']

/** Adds server reflection, both versions, so that generic clients need no .proto files. */
export function addReflection(server: Server, known: Descriptors, services: readonly string[]): void {
  for (const version of versions) {
    const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`
    const definition = { ServerReflectionInfo: { path, requestStream: true, responseStream: true, ...rawBytes } }
    server.addService(definition, {
      ServerReflectionInfo(call: ServerDuplexStream<Buffer, Buffer>) {
        call.on('data', (request: Buffer) => {
          if (call.write(Buffer.from(answer(known, services, request)))) return
          call.pause()
          call.once('drain', () => call.resume())
        })
        call.on('end', () => call.end())
      },
    })
  }
}

const rawBytes = {
  requestSerialize: (bytes: Buffer) => bytes,
  requestDeserialize: (bytes: Buffer) => bytes,
  responseSerialize: (bytes: Buffer) => bytes,
  responseDeserialize: (bytes: Buffer) => bytes,
}

/** Fields of ServerReflectionResponse. */
const field = { host: 1, request: 2, files: 4, extensions: 5, services: 6, error: 7 }

function answer(known: Descriptors, services: readonly string[], request: Uint8Array): Uint8Array {
  const asked = questionOf(request)
  const response = new BinaryWriter()
  bytes(response, field.request, request)
  if (asked.kind === 'services') return bytes(response, field.services, listOf(services)).finish()
  const files =
    asked.kind === 'file' ? known.byFile(asked.name) : asked.kind === 'symbol' ? known.bySymbol(asked.name) : null
  if (files === null) return bytes(response, field.error, notFound(asked.name)).finish()
  const listed = new BinaryWriter()
  for (const file of files) bytes(listed, 1, file)
  return bytes(response, field.files, listed.finish()).finish()
}

type Question = { kind: 'file' | 'symbol' | 'services' | 'other'; name: string }

function questionOf(request: Uint8Array): Question {
  try {
    const reader = new BinaryReader(request)
    let question: Question = { kind: 'other', name: '' }
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag()
      const kind = ({ 3: 'file', 4: 'symbol', 7: 'services' } as const)[number]
      if (kind === undefined) reader.skip(wireType, number)
      else question = { kind, name: reader.string() }
    }
    return question
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

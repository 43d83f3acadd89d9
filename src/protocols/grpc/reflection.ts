import { once } from 'node:events'
import { createFileRegistry, type DescFile, fromBinary, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { type Server, type ServerDuplexStream, type StatusObject, status } from '@grpc/grpc-js'
import {
  type ServerReflectionRequest as Request,
  type ServerReflectionResponse as Response,
  ServerReflectionService,
} from '../../../generated/grpc/proto/grpc/reflection/v1/reflection.ts'

type Call = ServerDuplexStream<Request, Response>

/** The versions have the same messages. */
const versions = ['v1', 'v1alpha']

/**
 * Adds server reflection, v1 and v1alpha, so that generic clients need no .proto files. `set` is a FileDescriptorSet
 * with all imports. The server of the package `@grpc/reflection` does not do here: it merges the files of a package and
 * names types relatively, which buf curl cannot link. `counter` counts the messages of a call, each of which may be
 * answered with all files.
 */
export function addReflection(
  server: Server,
  set: Uint8Array,
  services: readonly string[],
  counter: (call: Call) => () => Promise<StatusObject | null>,
): void {
  const respond = responder(set, services)
  const ServerReflectionInfo = (call: Call) => {
    const count = counter(call)
    const serve = async () => {
      for await (const request of call) {
        const refusal = await count()
        if (refusal !== null) return call.emit('error', refusal)
        if (!call.write(respond(request as Request))) await once(call, 'drain')
      }
      return call.end()
    }
    // A caller who disconnects ends the loop with an error, which is not a failure.
    serve().catch(() => undefined)
  }
  for (const version of versions) {
    const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`
    const definition = { ...ServerReflectionService.serverReflectionInfo, path, requestDeserialize: decoded }
    server.addService({ ServerReflectionInfo: definition }, { ServerReflectionInfo })
  }
}

function responder(set: Uint8Array, services: readonly string[]): (request: Request) => Response {
  const files = createFileRegistry(fromBinary(FileDescriptorSetSchema, set))

  /** The file of a service, message, enum or extension, or of a method, field or oneof; entries of maps have no name. */
  function fileOf(symbol: string): DescFile | undefined {
    const found = files.get(symbol)
    if (found !== undefined) return found.file
    const dot = symbol.lastIndexOf('.')
    const owner = files.get(symbol.slice(0, Math.max(0, dot)))
    const members =
      owner?.kind === 'service' ? owner.methods : owner?.kind === 'message' ? [...owner.fields, ...owner.oneofs] : []
    return members.some(({ name }) => name === symbol.slice(dot + 1)) ? owner?.file : undefined
  }

  return (request) => {
    const asked = request.message_request
    const answer = { valid_host: request.host, original_request: request }
    if (asked?.$case === 'list_services') {
      const value = { service: services.map((name) => ({ name })) }
      return { ...answer, message_response: { $case: 'list_services_response', value } }
    }
    const name = asked?.$case === 'file_by_filename' || asked?.$case === 'file_containing_symbol' ? asked.value : ''
    const file = asked?.$case === 'file_by_filename' ? files.getFile(name) : fileOf(name)
    if (file === undefined) {
      const value = { error_code: status.NOT_FOUND, error_message: `not found: ${name.slice(0, 200)}` }
      return { ...answer, message_response: { $case: 'error_response', value } }
    }
    const value = { file_descriptor_proto: [...withImports(file)].map(encoded) }
    return { ...answer, message_response: { $case: 'file_descriptor_response', value } }
  }
}

/** Bytes that do not decode are a request without a name, for which nothing is found; the call goes on. */
function decoded(bytes: Buffer): Request {
  try {
    return ServerReflectionService.serverReflectionInfo.requestDeserialize(bytes)
  } catch {
    return { host: '' }
  }
}

/** The requested file first, then its imports, without which a client cannot link it. */
function withImports(file: DescFile, seen = new Set<DescFile>()): Set<DescFile> {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const dependency of file.dependencies) withImports(dependency, seen)
  return seen
}

function encoded({ proto }: DescFile): Buffer {
  return Buffer.from(toBinary(FileDescriptorProtoSchema, proto))
}

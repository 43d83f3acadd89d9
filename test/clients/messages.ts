import { readFileSync } from 'node:fs'
import {
  createFileRegistry,
  type DescMessage,
  type DescMethod,
  type FileRegistry,
  fromBinary,
  fromJson,
  type JsonValue,
  toBinary,
  toJson,
} from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { type OperationId, operationOf } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { readerOf, toMessage } from './proto-json.ts'

/** The published descriptor, read by reflection; none of the project's stubs is used. */
export type Messages = {
  methodOf(id: OperationId): DescMethod
  encode(id: OperationId, input: object): Uint8Array
  decode(id: OperationId, bytes: Uint8Array): unknown
  /** False for an event of a kind that the descriptor does not have, which a reader skips. */
  knowsKind(id: OperationId, event: unknown): boolean
  /** Decodes the bytes of a request. */
  decodeRequest(id: OperationId, bytes: Uint8Array): unknown
  /** The details of a google.rpc.Status as proto JSON. */
  statusOf(bytes: Uint8Array): { details: ({ '@type': string } & Record<string, JsonValue>)[] }
}

export function loadMessages(): Messages {
  const bytes = readFileSync(new URL('../../generated/grpc/descriptor.binpb', import.meta.url))
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, bytes))
  const methodOf = (id: OperationId): DescMethod => {
    const [group = '', key = ''] = id.split('.')
    const service = registry.getService(`trident.v1.${capital(group)}Service`)
    const method = service?.methods.find(({ name }) => name === capital(key))
    if (method === undefined) throw new Error(`The descriptor has no method for ${id}.`)
    return method
  }
  const readers = new Map<string, ReturnType<typeof readerOf>>()
  function read(message: DescMessage, id: OperationId, side: 'input' | 'output', encoded: Uint8Array): unknown {
    const reader = readers.get(message.typeName) ?? readerOf((operationOf(id) as Operation)[side], side)
    readers.set(message.typeName, reader)
    return reader(toJson(message, fromBinary(message, encoded), { registry }))
  }

  return {
    methodOf,
    encode(id, input) {
      const { input: message } = methodOf(id)
      return toBinary(message, fromJson(message, toMessage(message, input), { registry }))
    },
    decode: (id, encoded) => read(methodOf(id).output, id, 'output', encoded),
    knowsKind(id, event) {
      const { oneofs, fields } = methodOf(id).output
      const isKind = (name: string) => fields.some((field) => field.enum !== undefined && field.name === name)
      // The number of an enum that has no name stays a number.
      return (
        oneofs.length === 0 ||
        !Object.entries(event as object).some(([name, part]) => isKind(name) && typeof part === 'number')
      )
    },
    decodeRequest: (id, encoded) => read(methodOf(id).input, id, 'input', encoded),
    statusOf: (encoded) => statusJson(registry, encoded),
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function statusJson(registry: FileRegistry, bytes: Uint8Array) {
  const status = registry.getMessage('google.rpc.Status')
  if (status === undefined) throw new Error('The descriptor has no google.rpc.Status.')
  return toJson(status, fromBinary(status, bytes), { registry }) as unknown as ReturnType<Messages['statusOf']>
}

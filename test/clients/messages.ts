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
import { z } from 'zod'
import { type OperationId, operationOf } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/operation.ts'

/** What the published descriptor says, read by reflection: no stub of ours takes part. */
export type Messages = {
  methodOf(id: OperationId): DescMethod
  encode(id: OperationId, input: object): Uint8Array
  decode(id: OperationId, bytes: Uint8Array): unknown
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
  return {
    methodOf,
    encode(id, input) {
      const { input: message } = methodOf(id)
      return toBinary(message, fromJson(message, toMessage(message, input), { registry }))
    },
    decode(id, encoded) {
      const { output: message } = methodOf(id)
      const json = toJson(message, fromBinary(message, encoded), {
        registry,
        useProtoFieldName: true,
        alwaysEmitImplicit: true,
      })
      return answerOf(operationOf(id) as Operation, json)
    },
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

/** A value of the contract as proto JSON: lists for one-or-many, and a message where protobuf cannot nest lists. */
function toMessage(message: DescMessage, value: unknown): JsonValue {
  if (message.typeName.startsWith('google.protobuf.')) return value as JsonValue
  const [wrapped] = message.fields
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { [wrapped?.name ?? '']: value === null ? [] : ([value].flat() as JsonValue[]) }
  }
  const given = value as Record<string, unknown>
  const fields = message.fields.flatMap((field): [string, JsonValue][] => {
    const part = given[field.name] ?? given[field.jsonName]
    if (part === undefined) return []
    const inner = field.message
    if (field.fieldKind === 'list')
      return [[field.name, [part].flat().map((item) => (inner ? toMessage(inner, item) : (item as JsonValue)))]]
    return [[field.name, inner ? toMessage(inner, part) : (part as JsonValue)]]
  })
  return Object.fromEntries(fields)
}

type JsonSchema = {
  $ref?: string
  $defs?: Record<string, JsonSchema>
  type?: string
  format?: string
  anyOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
}

/** Proto JSON as the contract's schema writes the answer: its names, its numbers, its nulls, without the wrappers. */
function answerOf(operation: Operation, json: JsonValue): unknown {
  const root = z.toJSONSchema(operation.output, { io: 'output', unrepresentable: 'any' }) as JsonSchema
  const resolve = (schema: JsonSchema): JsonSchema =>
    schema.$ref === undefined ? schema : resolve(root.$defs?.[schema.$ref.split('/').at(-1) ?? ''] ?? {})

  function walk(given: JsonSchema, value: unknown): unknown {
    const schema = resolve(given)
    if (schema.anyOf !== undefined) {
      const other = schema.anyOf.find(({ type }) => type !== 'null')
      return value === null || other === undefined ? value : walk(other, value)
    }
    if (schema.type === 'array' && Array.isArray(value))
      return value.map((item) => (schema.items === undefined ? item : walk(schema.items, item)))
    if (schema.type === 'integer' && typeof value === 'string') return Number(value)
    if (schema.format === 'date-time' && typeof value === 'string') return new Date(value).toISOString()
    if (schema.properties === undefined || typeof value !== 'object' || value === null) return value
    const message = value as Record<string, unknown>
    return Object.fromEntries(
      Object.entries(schema.properties).flatMap(([name, part]): [string, unknown][] => {
        const sent = message[name] ?? message[snakeCase(name)]
        if (sent !== undefined) return [[name, walk(part, sent)]]
        const isNull = schema.required?.includes(name) && resolve(part).anyOf?.some(({ type }) => type === 'null')
        return isNull ? [[name, null]] : []
      }),
    )
  }
  const { type } = resolve(root)
  const whole = json as { items?: unknown; value?: unknown }
  return walk(root, type === 'array' ? whole.items : type === 'object' ? json : whole.value)
}

function snakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
}

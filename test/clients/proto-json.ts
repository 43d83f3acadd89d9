import type { DescMessage, JsonValue } from '@bufbuild/protobuf'
import { z } from 'zod'

/** A value of the contract as proto JSON: lists for one-or-many, and messages where protobuf cannot nest lists. */
export function toMessage(message: DescMessage, value: unknown): JsonValue {
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

/** The part of a JSON Schema that says how a value was wrapped; `proto` is an extension of the contract. */
type JsonSchema = {
  $ref?: string
  $defs?: Record<string, JsonSchema>
  type?: string
  proto?: string
  format?: string
  anyOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
}

/** Converts proto JSON to the contract's value: names, numbers and nulls, without the wrappers. */
export function readerOf(schema: z.core.$ZodType, io: 'input' | 'output'): (json: JsonValue) => unknown {
  const root = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema
  const resolve = (part: JsonSchema): JsonSchema =>
    part.$ref === undefined ? part : resolve(root.$defs?.[part.$ref.split('/').at(-1) ?? ''] ?? {})

  function read(given: JsonSchema, value: unknown): unknown {
    const part = resolve(given)
    const wrapped = part.proto === undefined ? undefined : wrappers[part.proto]
    if (wrapped !== undefined) return wrapped(value, (item) => read(part.anyOf?.at(-1)?.items ?? {}, item))
    if (part.proto === 'struct') return value
    if (part.anyOf !== undefined) {
      const other = part.anyOf.find(({ type }) => type !== 'null')
      return value === null || other === undefined ? value : read(other, value)
    }
    if (part.type === 'array' && Array.isArray(value)) return value.map((item) => read(part.items ?? {}, item))
    if (part.type === 'integer' && typeof value === 'string')
      return Number.isSafeInteger(Number(value)) ? Number(value) : value // JSON cannot represent such a number
    if (part.format === 'date-time' && typeof value === 'string') return new Date(value).toISOString()
    if (part.properties === undefined || typeof value !== 'object' || value === null) return value
    const message = value as Record<string, unknown>
    return Object.fromEntries(
      Object.entries(part.properties).flatMap(([name, field]): [string, unknown][] => {
        const sent = message[name] ?? message[snakeCase(name)]
        if (sent !== undefined) return [[name, read(field, sent)]]
        const isNull = part.required?.includes(name) && resolve(field).anyOf?.some(({ type }) => type === 'null')
        return isNull ? [[name, null]] : []
      }),
    )
  }
  // An output that is not an object is the only field of its message.
  const isObject = resolve(root).properties !== undefined
  return (json) => read(root, isObject ? json : (Object.values(json as object)[0] ?? null))
}

type Wrapper = (value: unknown, readItem: (item: unknown) => unknown) => unknown

/** How protobuf represents a value that it lacks, by the contract's extension. */
const wrappers: Readonly<Record<string, Wrapper>> = {
  oneOrMany: (value) => (Array.isArray(value) && value.length === 1 ? value[0] : value),
  topics: (value) =>
    Array.isArray(value)
      ? value.map(({ any_of: any }: { any_of: string[] }) => (any.length > 1 ? any : (any[0] ?? null)))
      : value,
  rows: (value) => (Array.isArray(value) ? value.map(({ values }: { values: unknown[] }) => values) : value),
  hashesOrFull: (value, readItem) => {
    const { hashes, full } = value as { hashes: unknown[]; full: unknown[] }
    return full.length > 0 ? full.map(readItem) : hashes
  },
}

function snakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
}

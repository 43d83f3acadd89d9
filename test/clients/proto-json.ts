import type { DescEnum, DescMessage, JsonValue } from '@bufbuild/protobuf'
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
    const { message: inner, enum: set } = field
    const one = (item: unknown) => (inner ? toMessage(inner, item) : set ? valueIn(set, item) : (item as JsonValue))
    if (field.fieldKind === 'list') return [[field.name, [part].flat().map(one)]]
    return [[field.name, one(part)]]
  })
  return Object.fromEntries(fields)
}

/** The value of an enum for a text of the contract. Any other text is a number that no version has. */
function valueIn({ name, values }: DescEnum, text: unknown): JsonValue {
  if (typeof text !== 'string') return text as JsonValue
  const value = enumValue(name, text)
  return values.some((known) => known.name === value) ? value : -1
}

/** The name of an enum's value in protobuf, from the text of the contract. */
function enumValue(set: string, text: string): string {
  return `${snakeCase(set)}_${snakeCase(text)}`.replace(/[^a-z0-9]+/g, '_').toUpperCase()
}

/** The part of a JSON Schema that says how a value was wrapped; `proto` and `message` are extensions of the contract. */
type JsonSchema = {
  $ref?: string
  $defs?: Record<string, JsonSchema>
  type?: string
  proto?: string
  /** The name of an enum. */
  message?: string
  enum?: string[]
  const?: unknown
  format?: string
  anyOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
}

/**
 * Converts proto JSON to the contract's value: names, numbers, texts of enums and nulls, without the wrappers. Zeros, which
 * proto JSON leaves out, are there again where an output must have a value.
 */
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
    const texts = part.enum ?? (typeof part.const === 'string' ? [part.const] : [])
    if (part.message !== undefined && texts.length > 0)
      return texts.find((text) => enumValue(part.message ?? '', text) === value) ?? value
    if (part.type === 'array' && Array.isArray(value)) return value.map((item) => read(part.items ?? {}, item))
    if (part.type === 'integer' && typeof value === 'string')
      return Number.isSafeInteger(Number(value)) ? Number(value) : value // JSON cannot represent such a number
    if (part.format === 'date-time' && typeof value === 'string') return new Date(value).toISOString()
    if (part.properties === undefined || typeof value !== 'object' || value === null) return value
    const message = value as Record<string, unknown>
    return Object.fromEntries(
      Object.entries(part.properties).flatMap(([name, field]): [string, unknown][] => {
        const sent = message[name] ?? message[camelCase(name)]
        if (sent !== undefined) return [[name, read(field, sent)]]
        const zero = part.required?.includes(name) ? zeroOf(resolve(field)) : undefined
        return zero === undefined ? [] : [[name, zero]]
      }),
    )
  }
  /** What an absent field of an output was. One of an input was absent, unless it is a list or a map. */
  function zeroOf(part: JsonSchema): unknown {
    const { type, proto, anyOf, properties } = part
    if (anyOf?.some((option) => option.type === 'null')) return null
    if (type === 'array' || proto === 'hashesOrFull') return []
    if (type === 'object' && properties === undefined && proto === undefined) return {}
    if (io === 'input' || part.message !== undefined || proto !== undefined || part.format === 'date-time')
      return undefined
    return type === 'string' ? '' : type === 'boolean' ? false : type === 'integer' || type === 'number' ? 0 : undefined
  }

  // An output that is not an object is the only field of its message.
  const whole = resolve(root)
  if (whole.properties !== undefined) return (json) => read(root, json)
  return (json) => {
    const value = Object.values(json as object)[0]
    return value === undefined ? (zeroOf(whole) ?? null) : read(root, value)
  }
}

type Wrapper = (value: unknown, readItem: (item: unknown) => unknown) => unknown

/** How protobuf represents a value that it lacks, by the contract's extension. */
const wrappers: Readonly<Record<string, Wrapper>> = {
  oneOrMany: (value) => (Array.isArray(value) && value.length === 1 ? value[0] : value),
  topics: (value) =>
    Array.isArray(value)
      ? value.map(({ anyOf: any = [] }: { anyOf?: string[] }) => (any.length > 1 ? any : (any[0] ?? null)))
      : value,
  rows: (value) => (Array.isArray(value) ? value.map(({ values = [] }: { values?: unknown[] }) => values) : value),
  hashesOrFull: (value, readItem) => {
    const { hashes, full } = value as Partial<Record<'hashes' | 'full', { items?: unknown[] }>>
    return full?.items?.map(readItem) ?? hashes?.items ?? []
  },
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

function snakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
}

import { isAddress } from 'viem/utils'
import { z } from 'zod'
import { readTime } from '../../kit/read-time.ts'
import { boundedArray, boundedRecord } from './bounded.ts'
import { bounds } from './limits.ts'

/**
 * Value schemas that operations share. Each maps to one protobuf type. Those that protobuf cannot express directly have
 * `meta({ proto })`, which the generators read: `timestamp`, `struct`, `oneOrMany`, `topics`, `hashesOrFull`, `rows`, `text`.
 */

/** What the gateway demands of every text of an input: databases cut a text at NUL or refuse it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it refuses NUL, in the notation that most languages read
export const withoutNul = /^[^\u0000]*$/

const saysNoNul = { pattern: withoutNul.source }

/** A text of an input; one with a pattern of its own refuses NUL by that. */
export const inputText = z.string().meta(saysNoNul)

/** The name of a free field of an input. The gateway checks it before the schema. */
const inputName = z.string().meta({ ...saysNoNul, maxLength: bounds.fieldNameCharacters })

/** A password: a refusal does not repeat its value, as it does for other texts of the wrong type. */
export const password = z.string({ error: 'a text' }).meta(saysNoNul)

/** A moment in UTC with milliseconds: ISO 8601 text in JSON, `google.protobuf.Timestamp` in protobuf. */
export const timestamp = z.iso
  .datetime({ precision: 3 })
  .meta({ proto: 'timestamp', description: 'UTC, ISO 8601 with milliseconds' })

/** A time from a caller, in any form that `readTime` reads; a handler receives it as ISO 8601 in UTC with milliseconds. */
export const timestampInput = z
  .stringFormat('datetime', (text) => readTime(text) !== null, { abort: true })
  .max(40)
  .overwrite((text) => readTime(text) ?? text)
  .meta({ proto: 'timestamp', format: 'date-time', description: 'RFC 3339, or a date; in UTC unless it has an offset' })

/** A non-negative amount as a decimal string, at most 36 digits before and 36 after the point. Never a float. */
const decimal = z
  .string()
  .regex(
    /^\d{1,36}(\.\d{1,36})?$/,
    'a non-negative decimal such as 1.5, with at most 36 digits on each side of the point',
  )

/** Texts of a schema that do not match a further pattern, as documents say too. */
export function except(schema: z.ZodString, pattern: RegExp, message: string): z.ZodString {
  return schema.refine((text) => !pattern.test(text), message).meta({ not: { pattern: pattern.source } })
}

/** A decimal amount above zero. */
export const positiveDecimal = except(decimal, /^[0.]*$/, 'must be above zero')

export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, { error: 'an address: 0x and 40 hex digits', abort: true })
export const wrongChecksum = 'has a wrong checksum: copy it again from its source'

/**
 * An address from a caller of the application, where a mistyped one costs money: in upper and lower case it must have the
 * checksum of EIP-55. The node takes any, as nodes do.
 */
export const checkedAddress = address.refine(hasChecksum, wrongChecksum)

/** False for an address in upper and lower case whose letters are not the checksum of EIP-55. */
export function hasChecksum(text: string): boolean {
  const digits = text.slice(2)
  return digits === digits.toLowerCase() || digits === digits.toUpperCase() || isAddress(text)
}

export const hash = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'a hash: 0x and 64 hex digits')
export const hexData = z.string().regex(/^0x([0-9a-fA-F]{2})*$/, 'hex bytes: 0x and an even number of hex digits')
export const quantity = z
  .string()
  .regex(/^0x(0|[1-9a-fA-F][0-9a-fA-F]{0,63})$/, 'a hex quantity without leading zeros, such as 0x1f')

/** A quantity of at most 64 bits. */
export const quantity64 = z
  .string()
  .regex(
    /^0x(0|[1-9a-fA-F][0-9a-fA-F]{0,15})$/,
    'a hex quantity of at most 64 bits without leading zeros, such as 0x1f',
  )

/** A block by number or tag. */
export const blockTag = z
  .string()
  .regex(
    /^(earliest|latest|pending|safe|finalized|0x(0|[1-9a-fA-F][0-9a-fA-F]{0,15}))$/,
    'a hex block number or one of earliest, latest, pending, safe, finalized',
  )

/** An id, in any letter case. */
export const uuid = z.uuid().toLowerCase()

/** Free JSON: any object. Its depth and size are bounded before validation; `google.protobuf.Struct` in protobuf. */
export const freeObject = z.record(z.string(), z.unknown())

/** An object of an input whose fields are free. */
export function inputRecord<Value extends z.ZodType>(value: Value) {
  return boundedRecord(inputName, value, bounds.freeFields)
}

/** Free JSON in an input. */
export const freeInput = inputRecord(z.unknown())

/** Free JSON: any value; `google.protobuf.Value` in protobuf. */
export const freeValue = z.unknown()

/** One value or a list of them; always a list in protobuf. */
export function oneOrMany<T extends z.ZodType>(schema: T, max: number) {
  return z.union([schema, boundedArray(schema, max)]).meta({ proto: 'oneOrMany' })
}

/** The most topics of a position. */
export const mostTopics = 1_000

/**
 * The topics of a log filter, by position: null matches any topic, a topic matches itself, a list matches each of its
 * members. `repeated TopicPosition` with `any_of` in protobuf, where an empty position matches any topic.
 */
export const topics = boundedArray(z.union([z.null(), hash, boundedArray(hash, mostTopics)]), 4).meta({
  proto: 'topics',
})

/** The transactions of a block: their hashes, or whole transactions. Two repeated fields `hashes` and `full` in protobuf. */
export function hashesOrFull<H extends z.ZodType, T extends z.ZodType>(one: H, transaction: T) {
  return z.union([z.array(one), z.array(transaction)]).meta({ proto: 'hashesOrFull' })
}

/** A table: a list of lists of a scalar. A repeated message with one field `values` in protobuf. */
export function rows<T extends z.ZodType>(scalar: T) {
  return z.array(z.array(scalar)).meta({ proto: 'rows' })
}

/** A page of a list: send `next_cursor` as `cursor` to read the next page; null on the last one. */
export function page<T extends z.ZodType>(item: T) {
  return z.object({
    items: z.array(item).describe('This page of the list'),
    next_cursor: z.string().describe('Send it as cursor for the next page; null on the last one').nullable(),
  })
}

/** The query fields of a paged list. */
export const pageQuery = {
  cursor: inputText.max(200).describe('next_cursor of the previous page; absent for the first page').optional(),
  limit: z.int32().min(1).max(bounds.pageItems).describe('Most items of a page').optional(),
}

/** An empty response: `{}`. */
export const empty = z.object({})

/** An object of which at most one of some fields is there: a oneof of protobuf, of this name. */
export function withOneof<Shape extends z.core.$ZodLooseShape>(
  object: z.ZodObject<Shape>,
  name: string,
  fields: readonly (keyof Shape & string)[],
): z.ZodObject<Shape> {
  const isThere = (value: object, field: string) => (value as Record<string, unknown>)[field] !== undefined
  return object
    .refine(
      (value) => fields.filter((field) => isThere(value, field)).length <= 1,
      `has more than one of ${fields.join(', ')}`,
    )
    .meta({ oneof: { [name]: fields } })
}

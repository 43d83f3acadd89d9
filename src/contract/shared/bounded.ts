import { z } from 'zod'
import { bounds } from './limits.ts'

/**
 * Lists and records of inputs. They count their entries before they read one, and stop reading once enough of them are
 * broken, so that a refused input costs little. Otherwise they are zod's own, for types and generators too.
 */

type Payload = z.core.ParsePayload
type Context = z.core.ParseContextInternal

/** Reads a part, and returns the value that it becomes; its issues join those of the whole. */
function read(schema: z.core.$ZodType, value: unknown, path: PropertyKey, whole: Payload, context: Context): unknown {
  const part = schema._zod.run({ value, issues: [] }, context)
  if (part instanceof Promise) throw new Error('Inputs are checked synchronously.')
  whole.issues.push(...z.core.util.prefixIssues(path, part.issues))
  return part.value
}

const isEnough = ({ issues }: Payload) => issues.length >= bounds.violationsListed

type ListDef = z.core.$ZodArrayDef & { most: number }

/** A list of at most `most` items. */
const BoundedList: z.core.$constructor<z.ZodArray, ListDef> = z.core.$constructor('BoundedList', (list, def) => {
  z.ZodArray.init(list, def)
  const parse = list._zod.parse
  list._zod.parse = (payload, context) => {
    const { value } = payload
    if (!Array.isArray(value)) return parse(payload, context)
    // The check of the length refuses it.
    if (value.length > def.most) return payload
    const items: unknown[] = []
    payload.value = items
    for (const [index, item] of value.entries()) {
      items.push(read(def.element, item, index, payload, context))
      if (isEnough(payload)) break
    }
    return payload
  }
})

type RecordDef = z.core.$ZodRecordDef & { most: number }

/** A record of at most `most` entries. */
const BoundedRecord: z.core.$constructor<z.ZodRecord, RecordDef> = z.core.$constructor(
  'BoundedRecord',
  (record, def) => {
    z.ZodRecord.init(record, def)
    const parse = record._zod.parse
    record._zod.parse = (payload, context) => {
      const { value } = payload
      if (!z.core.util.isPlainObject(value)) return parse(payload, context)

      if (Object.keys(value).length > def.most) {
        payload.issues.push({
          code: 'too_big',
          origin: 'record',
          maximum: def.most,
          inclusive: true,
          input: value,
          inst: record,
        })
        return payload
      }
      const kept: [string, unknown][] = []
      for (const [key, item] of Object.entries(value)) {
        const name = readName(record, key, payload, context)
        if (name !== null) kept.push([name, read(def.valueType, item, key, payload, context)])
        if (isEnough(payload)) break
      }
      payload.value = Object.fromEntries(kept)
      return payload
    }
  },
)

/** The name of an entry as its schema has it; null where it is not allowed. */
function readName(record: z.ZodRecord, key: string, payload: Payload, context: Context): string | null {
  const name: Payload = { value: key, issues: [] }
  record._zod.def.keyType._zod.run(name, context)
  if (name.issues.length === 0) return String(name.value)
  const issues = name.issues.map((issue) => z.core.util.finalizeIssue(issue, context, z.core.config()))
  payload.issues.push({ code: 'invalid_key', origin: 'record', issues, input: key, path: [key], inst: record })
  return null
}

/** A list of an input, of at most `most` items. */
export function boundedArray<Item extends z.ZodType>(item: Item, most: number): z.ZodArray<Item> {
  return new BoundedList({ type: 'array', element: item, most }).max(most) as z.ZodArray<Item>
}

/** The same for texts of which none may stand twice; `message` says so. */
export function distinctTexts<Item extends z.ZodType<string>>(item: Item, most: number, message: string) {
  return boundedArray(item, most)
    .refine((texts) => new Set(texts).size === texts.length, message)
    .meta({ uniqueItems: true })
}

/** An object of an input whose names are free, of at most `most` entries. */
export function boundedRecord<Key extends z.ZodString, Value extends z.ZodType>(key: Key, value: Value, most: number) {
  const record = new BoundedRecord({ type: 'record', keyType: key, valueType: value, most })
  return (record as unknown as z.ZodRecord<Key, Value>).meta({ maxProperties: most })
}

/** Whether a list or a record counts before it reads; others are for outputs. */
export function isBounded(schema: z.core.$ZodType): boolean {
  return schema instanceof BoundedList || schema instanceof BoundedRecord
}

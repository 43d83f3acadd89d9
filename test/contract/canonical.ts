import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { defOf, metaOf, type Schema, unwrap } from '../../scripts/generate/schema.ts'
import { accepts } from './arbitrary.ts'

/**
 * A value as protobuf can represent it, by the fields that `differences` names: without optional empty lists and maps,
 * one-or-many as a list, times in UTC with milliseconds. Invalid values stay as they are.
 */
export function canonical(schema: Schema, value: unknown): unknown {
  const { inner } = unwrap(schema)
  if (value === undefined || value === null || !accepts(inner, value)) return partsOf(inner, value)
  const { proto } = metaOf(inner)
  if (proto === 'timestamp') return new Date(value as string).toISOString()
  if (proto === 'oneOrMany') return [value].flat()
  if (proto === 'topics') return (value as unknown[]).map((topic) => (topic === null ? [] : [topic].flat()))
  return partsOf(inner, value)
}

function partsOf(schema: Schema, value: unknown): unknown {
  const def = defOf(schema)
  if (metaOf(schema).proto === 'struct' || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const item = def.type === 'array' ? def.element : listOption(def)
    return item === undefined ? value : value.map((part) => canonical(item, part))
  }
  if (def.type !== 'object') return value
  const fields = Object.entries(value).map(([name, part]): [string, unknown] => {
    const field = fieldOf(def, name)
    return [name, field === undefined ? part : canonical(field, part)]
  })
  return Object.fromEntries(fields.filter(([name, part]) => !isLost(fieldOf(def, name), part)))
}

/** Where a value is either hashes or full objects, only full objects have parts. */
function listOption(def: ReturnType<typeof defOf>): Schema | undefined {
  const last = def.type === 'union' ? def.options.map(defOf).at(-1) : undefined
  return last?.type === 'array' ? last.element : undefined
}

function fieldOf(def: z.core.$ZodObjectDef, name: string): Schema | undefined {
  return Object.hasOwn(def.shape, name) ? def.shape[name] : undefined
}

/** True for an empty list or map, or a default, that may as well be absent. */
function isLost(field: Schema | undefined, part: unknown): boolean {
  if (field === undefined || !unwrap(field).optional || !accepts(field, part)) return false
  const { inner, fallback } = unwrap(field)
  const isMap = defOf(inner).type === 'record' && metaOf(inner).proto === undefined && !isFree(inner)
  const isDefault = fallback !== undefined && isDeepStrictEqual(part, fallback)
  // A zero that is the default needs no presence.
  if (isDefault && !part) return true
  return (
    (Array.isArray(part) && (part.length === 0 || isDefault)) || (isMap && Object.keys(part as object).length === 0)
  )
}

/** Free JSON is a Struct, which can be empty. */
function isFree(schema: Schema): boolean {
  const def = defOf(schema)
  return def.type === 'record' && defOf(def.valueType).type === 'unknown'
}

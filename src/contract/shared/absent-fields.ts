import type { z } from 'zod'
import { acceptsNull, isOptional, partsOf } from './schema-parts.ts'

/** Fields of an input that are there and mean the same as absent ones. */

type Schema = z.core.$ZodType

/**
 * The input without those fields of its objects that are null, at any depth of what the schema describes: for callers to
 * whom null means absent. A field that may be null keeps it, and so does free JSON. Items of lists keep their places. What
 * holds no null is not copied, because its size was not checked yet.
 */
export function withoutNulls(schema: Schema, input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return input
  const { shape, entry, element } = partsOf(schema)
  if (Array.isArray(input)) return element === undefined ? input : withItems(element, input)
  return shape === undefined && entry === undefined ? input : withFields(shape, entry, input)
}

function withItems(element: Schema, items: readonly unknown[]): unknown {
  let changed: unknown[] | undefined
  for (const [at, item] of items.entries()) {
    const part = withoutNulls(element, item)
    if (part === item) continue
    changed ??= [...items]
    changed[at] = part
  }
  return changed ?? items
}

function withFields(shape: Readonly<Record<string, Schema>> | undefined, entry: Schema | undefined, input: object) {
  let changed: Map<string, unknown> | undefined
  for (const name of Object.keys(input)) {
    const value = (input as Record<string, unknown>)[name]
    if (typeof value !== 'object') continue
    const field = shape !== undefined && Object.hasOwn(shape, name) ? shape[name] : entry
    const part = field === undefined ? value : withoutNulls(field, value)
    const isAbsent = value === null && (field === undefined || !acceptsNull(field))
    if (part === value && !isAbsent) continue
    changed ??= new Map(Object.entries(input))
    if (isAbsent) changed.delete(name)
    else changed.set(name, part)
  }
  return changed === undefined ? input : Object.fromEntries(changed)
}

/** An empty list in an optional field means the same as none, because gRPC cannot distinguish them; a node may. */
export function withoutEmptyLists(schema: Schema | undefined, value: unknown): unknown {
  if (schema === undefined || typeof value !== 'object' || value === null) return value
  const { shape, entry, element } = partsOf(schema)
  if (Array.isArray(value)) {
    return element === undefined ? value : value.map((item) => withoutEmptyLists(element, item))
  }
  const fields = Object.entries(value).flatMap(([name, part]): [string, unknown][] => {
    const field = shape?.[name] ?? entry
    const isNone = Array.isArray(part) && part.length === 0 && shape !== undefined && isOptional(field)
    return isNone ? [] : [[name, withoutEmptyLists(field, part)]]
  })
  return Object.fromEntries(fields)
}

import type { z } from 'zod'
import { acceptsNull, elementOf, entryOf, partOf, shapeOf } from './unknown-fields.ts'

type Schema = z.core.$ZodType

/**
 * The input without those fields of its objects that are null, at any depth of what the schema describes: for callers to
 * whom null means absent. A field that may be null keeps it, and so does free JSON. Items of lists keep their places.
 */
export function withoutNulls(schema: Schema, input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return input
  if (Array.isArray(input)) {
    const element = partOf(schema, elementOf)
    return element === undefined ? input : input.map((item) => withoutNulls(element, item))
  }
  const shape = partOf(schema, shapeOf)
  const entry = partOf(schema, entryOf)
  if (shape === undefined && entry === undefined) return input
  const fields = Object.entries(input).flatMap(([name, value]): [string, unknown][] => {
    const field = shape !== undefined && Object.hasOwn(shape, name) ? shape[name] : entry
    if (value === null && (field === undefined || !acceptsNull(field))) return []
    return [[name, field === undefined ? value : withoutNulls(field, value)]]
  })
  return Object.fromEntries(fields)
}

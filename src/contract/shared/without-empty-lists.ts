import type { z } from 'zod'
import { isOptional, partsOf } from './unknown-fields.ts'

/** An empty list in an optional field means the same as none, because gRPC cannot distinguish them; a node may. */
export function withoutEmptyLists(schema: z.core.$ZodType | undefined, value: unknown): unknown {
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

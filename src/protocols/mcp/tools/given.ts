import type { z } from 'zod'
import { withoutNulls } from '../../../contract/shared/absent-fields.ts'
import { isOptional, unwrapped } from '../../../contract/shared/schema-parts.ts'
import { isRecord } from '../../../kit/values.ts'

const plainNumber = /^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/

/**
 * The arguments of a tool as they are meant: models write null or an empty text for what they leave out, and a number as
 * text. What does not fit stays as it is, and is refused by its name.
 */
export function meantBy(schema: z.ZodObject, given: unknown): unknown {
  const fields = withoutNulls(schema, given)
  if (!isRecord(fields)) return fields
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
      const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined
      if (field !== undefined && typeof value === 'string') {
        if (value === '' && isOptional(field)) return []
        if (unwrapped(field)?._zod.def.type === 'number' && plainNumber.test(value)) return [[name, Number(value)]]
      }
      return [[name, value]]
    }),
  )
}

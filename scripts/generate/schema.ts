import { z } from 'zod'
import type { Deprecation } from '../../src/contract/shared/deprecation.ts'

export type Schema = z.core.$ZodType

/** The definition of a schema, discriminated by `type`. */
export function defOf(schema: Schema): z.core.$ZodTypes['_zod']['def'] {
  return (schema as z.core.$ZodTypes)._zod.def
}

/**
 * The `meta` of a schema; `proto` selects a protobuf type that the schema alone does not imply, `message` names the message
 * of an object where it is not the `id`, and the enum of a closed set, `field` a field that cannot have its own name, and
 * `oneof` fields of an object of which one at most is there.
 */
export function metaOf(schema: Schema): {
  id?: string
  description?: string
  proto?: string
  message?: string
  field?: string
  oneof?: Readonly<Record<string, readonly string[]>>
  deprecation?: Deprecation
} {
  const { id, description, proto, message, field, oneof, deprecation } = z.globalRegistry.get(schema) ?? {}
  return {
    ...(id === undefined ? {} : { id }),
    ...(description === undefined ? {} : { description }),
    ...(typeof proto === 'string' ? { proto } : {}),
    ...(typeof message === 'string' ? { message } : {}),
    ...(typeof field === 'string' ? { field } : {}),
    ...(oneof === undefined ? {} : { oneof: oneof as Record<string, string[]> }),
    ...(deprecation === undefined ? {} : { deprecation: deprecation as Deprecation }), // by `deprecated` alone
  }
}

export type Unwrapped = {
  inner: Schema
  optional: boolean
  nullable: boolean
  /** The default of an input field, where it has one. */
  fallback: unknown
  /** The outermost description. */
  description: string | undefined
  deprecation: Deprecation | undefined
  /** The name of its field in protobuf, where it cannot have its own. */
  field: string | undefined
}

/** A schema without its optional, nullable and default wrappers. */
export function unwrap(schema: Schema): Unwrapped {
  const found: Unwrapped = {
    inner: schema,
    optional: false,
    nullable: false,
    fallback: undefined,
    description: undefined,
    deprecation: undefined,
    field: undefined,
  }
  for (;;) {
    const { description, deprecation, field } = metaOf(found.inner)
    found.description ??= description
    found.deprecation ??= deprecation
    found.field ??= field
    const def = defOf(found.inner)
    if (def.type === 'optional') found.optional = true
    else if (def.type === 'nullable') found.nullable = true
    else if (def.type === 'default') {
      found.optional = true
      found.fallback = def.defaultValue
    } else return found
    found.inner = def.innerType
  }
}

/** The texts of an enum or of literals; null for any other schema. */
export function textsOf(schema: Schema): string[] | null {
  const def = defOf(schema)
  if (def.type !== 'enum' && def.type !== 'literal') return null
  const values: unknown[] = def.type === 'enum' ? Object.values(def.entries) : def.values
  return values.every((value) => typeof value === 'string') ? values : null
}

/** `int32`, `safeint`, `float64` and so on; undefined for any number. zod keeps it on the schema or on a check. */
export function numberFormat(schema: Schema): string | undefined {
  const def = defOf(schema)
  if (def.type !== 'number') return undefined
  const formats = [def, ...(def.checks ?? []).map((check) => check._zod.def)].map((part) =>
    'format' in part ? part.format : undefined,
  )
  return formats.find((format): format is string => typeof format === 'string')
}

/** Bounds of a number, and of the length of a text or list. */
export type Bounds = { least?: number; most?: number; atLeast?: number; atMost?: number }

/** The declared bounds of a schema, without those of its format. */
export function boundsOf(schema: Schema): Bounds {
  const bounds: Bounds = {}
  for (const check of defOf(schema).checks ?? []) {
    const def = check._zod.def as { check: string; value?: unknown; minimum?: number; maximum?: number }
    if (def.check === 'greater_than' && typeof def.value === 'number') bounds.least = def.value
    if (def.check === 'less_than' && typeof def.value === 'number') bounds.most = def.value
    if (def.check === 'min_length' && def.minimum !== undefined) bounds.atLeast = def.minimum
    if (def.check === 'max_length' && def.maximum !== undefined) bounds.atMost = def.maximum
  }
  return bounds
}

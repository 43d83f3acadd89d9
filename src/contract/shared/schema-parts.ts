import { z } from 'zod'

/** What a schema says of the parts of a value. */

type Schema = z.core.$ZodType

/** A schema without its optional, nullable and default wrappers. */
export function unwrapped(schema: Schema | undefined): Schema | undefined {
  let bare = schema
  for (;;) {
    const inner = bare !== undefined && 'innerType' in bare._zod.def ? bare._zod.def.innerType : undefined
    if (inner === undefined) return bare
    bare = inner as Schema
  }
}

/** The fields of an object. */
export function shapeOf(schema: Schema | undefined): Readonly<Record<string, Schema>> | undefined {
  const bare = unwrapped(schema)
  return bare?._zod.def.type === 'object' ? (bare as z.core.$ZodObject)._zod.def.shape : undefined
}

/** The schema of a list's items. */
export function elementOf(schema: Schema | undefined): Schema | undefined {
  const bare = unwrapped(schema)
  return bare?._zod.def.type === 'array' ? (bare as z.core.$ZodArray)._zod.def.element : undefined
}

/** The schema of a record's values. */
function entryOf(schema: Schema | undefined): Schema | undefined {
  const bare = unwrapped(schema)
  return bare?._zod.def.type === 'record' ? (bare as z.core.$ZodRecord)._zod.def.valueType : undefined
}

/** The options of a union; else the schema itself. */
function optionsOf(schema: Schema): readonly Schema[] {
  const bare = unwrapped(schema)
  if (bare === undefined) return []
  return bare._zod.def.type === 'union' ? (bare as z.core.$ZodUnion)._zod.def.options.flatMap(optionsOf) : [bare]
}

const nullable = new WeakMap<Schema, boolean>()

/** Whether null is a value of a field. */
export function acceptsNull(schema: Schema): boolean {
  const known = nullable.get(schema) ?? z.safeParse(schema, null).success
  nullable.set(schema, known)
  return known
}

/** Whether a field of an input may be left out. */
export function isOptional(schema: Schema | undefined): boolean {
  return schema?._zod.optin === 'optional'
}

/** The schema of a field; a name that every object inherits is none. */
function fieldOf(schema: Schema | undefined, name: string): Schema | undefined {
  const shape = shapeOf(schema) ?? {}
  return Object.hasOwn(shape, name) ? shape[name] : undefined
}

/** The schema of what stands at a path of an input; undefined where the schema does not describe it. */
export function schemaAt(schema: Schema, path: readonly PropertyKey[]): Schema | undefined {
  let part: Schema | undefined = schema
  for (const key of path) part = elementOf(part) ?? entryOf(part) ?? fieldOf(part, String(key))
  return part
}

/** What of a schema describes the parts of a value: of an object, a record, or a list. */
type Parts = {
  shape: Readonly<Record<string, Schema>> | undefined
  entry: Schema | undefined
  element: Schema | undefined
}

/** Hostile inputs have many values of one schema. */
const partsKnown = new WeakMap<Schema, Parts>()

/** The parts of a schema; of a union, those of the options which have some. */
export function partsOf(schema: Schema): Parts {
  const found = partsKnown.get(schema) ?? {
    shape: firstOf(schema, shapeOf),
    entry: firstOf(schema, entryOf),
    element: firstOf(schema, elementOf),
  }
  partsKnown.set(schema, found)
  return found
}

function firstOf<Part>(schema: Schema, read: (option: Schema) => Part | undefined): Part | undefined {
  for (const option of optionsOf(schema)) {
    const part = read(option)
    if (part !== undefined) return part
  }
  return undefined
}

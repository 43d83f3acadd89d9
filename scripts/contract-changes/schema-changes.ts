import { combinationChanges, combined } from './combination-changes.ts'
import { endChanges, endIn } from './end-changes.ts'
import { propertyChanges } from './property-changes.ts'
import { isSchema, type Located, type Schema, type SchemaChange } from './schema.ts'
import { valueChanges } from './value-changes.ts'

/**
 * Every difference between two schemas. A keyword that is unknown here is compared as a whole, and its change `moves`.
 */
export function schemaChanges(
  before: Located,
  after: Located,
  path = '',
  open: readonly string[] = [],
): SchemaChange[] {
  const pair = `${before.schema.$ref} ${after.schema.$ref}`
  if (open.includes(pair)) return []
  const [a, b] = [resolved(before), resolved(after)]
  const below = (one: unknown, other: unknown, step: string) =>
    schemaChanges(at(before, one), at(after, other), path + step, '$ref' in before.schema ? [...open, pair] : open)
  return [
    ...valueChanges(a, b).map((change) => ({ path, ...change })),
    ...(isSchema(a.items) && isSchema(b.items) ? below(a.items, b.items, '[]') : partChange(a, b, 'items', path)),
    ...(isSchema(a.contentSchema) ? below(a.contentSchema, b.contentSchema, '') : []),
    ...propertyChanges(a, b, path, below),
    ...combined.flatMap((name) => combinationChanges(a, b, name, path, below)),
    ...endChanges(endIn(a), endIn(b)).map((change) => ({ path, ...change })),
  ]
}

/** Keywords next to a reference apply together with what it names. */
function resolved({ schema, components }: Located): Schema {
  const { $ref, ...beside } = schema
  if (typeof $ref !== 'string') return schema
  const named = components[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {}
  return { ...resolved({ schema: named, components }), ...beside }
}

function at({ components }: Located, schema: unknown): Located {
  return { components, schema: isSchema(schema) ? schema : {} }
}

function partChange(a: Schema, b: Schema, name: string, path: string): SchemaChange[] {
  if (name in a === name in b) return []
  return [{ path, text: `${name} is ${name in b ? 'new' : 'gone'}`, effect: name in b ? 'narrows' : 'widens' }]
}

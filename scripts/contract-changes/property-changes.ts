import { endIn } from './end-changes.ts'
import { type Below, isSchema, type Placeless, type Schema, type SchemaChange } from './schema.ts'

/**
 * The changes of fields. In a schema that refuses other fields, a new field allows more; elsewhere it guarantees more.
 */
export function propertyChanges(a: Schema, b: Schema, path: string, below: Below): SchemaChange[] {
  const [before, after] = [partsOf(a), partsOf(b)]
  const closed = a.additionalProperties === false
  const step = (name: string) => (path === '' ? name : `.${name}`)
  const gone = Object.keys(before).filter((name) => !(name in after))
  const won = Object.keys(after).filter((name) => !(name in before))
  const kept = Object.keys(before).filter((name) => name in after)
  return [
    ...gone.map((name) => ({
      path: path + step(name),
      text: 'is gone',
      effect: closed ? ('narrows' as const) : ('widens' as const),
      promised: isSchema(before[name]) ? endIn(before[name]) : null,
    })),
    ...won.map((name) => ({
      path: path + step(name),
      text: requires(b, name) ? 'is new and required' : 'is new',
      effect: closed && !requires(b, name) ? ('widens' as const) : ('narrows' as const),
      isNew: true as const,
    })),
    ...kept.flatMap((name) => [
      ...requirementChange(requires(a, name), requires(b, name)).map((change) => ({
        path: path + step(name),
        ...change,
      })),
      ...below(before[name], after[name], step(name)),
    ]),
    ...(isSchema(a.additionalProperties) && isSchema(b.additionalProperties)
      ? below(a.additionalProperties, b.additionalProperties, '{}')
      : closingChange(a, b, path)),
  ]
}

/** The schema of each field. A field that is required but not declared may have any value. */
function partsOf(schema: Schema): Record<string, unknown> {
  const bare = requiredIn(schema).map((name) => [name, {}])
  return { ...Object.fromEntries(bare), ...(isSchema(schema.properties) ? schema.properties : {}) }
}

function requires(schema: Schema, name: string): boolean {
  return requiredIn(schema).includes(name)
}

function requiredIn({ required }: Schema): readonly unknown[] {
  return Array.isArray(required) ? required : []
}

function requirementChange(was: boolean, is: boolean): Placeless[] {
  if (was === is) return []
  return [is ? { text: 'is required', effect: 'narrows' } : { text: 'is optional', effect: 'widens' }]
}

function closingChange(a: Schema, b: Schema, path: string): SchemaChange[] {
  const [was, is] = [a.additionalProperties ?? true, b.additionalProperties ?? true]
  if (JSON.stringify(was) === JSON.stringify(is)) return []
  const text = `other fields are ${is === false ? 'refused' : 'taken'}`
  return [{ path, text, effect: is === true || was === false ? 'widens' : 'narrows' }]
}

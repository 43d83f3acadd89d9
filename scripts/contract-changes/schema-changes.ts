import { type Deprecation, deprecationText } from '../../src/contract/deprecation.ts'

export type Schema = { [key: string]: unknown }

/** A JSON schema with the components that its references name. */
export type Located = { schema: Schema; components: Record<string, Schema> }

/** What a change does to the values that a schema allows: more, fewer, others; or nothing, but its end is announced. */
export type Effect = 'widens' | 'narrows' | 'moves' | 'deprecates'
export type SchemaChange = { path: string; text: string; effect: Effect; isNew?: true }

/** Bounds, and whether a larger number allows more. */
const bounds = {
  minimum: false,
  exclusiveMinimum: false,
  minLength: false,
  minItems: false,
  maximum: true,
  exclusiveMaximum: true,
  maxLength: true,
  maxItems: true,
}
const structure = ['type', 'enum', 'const', 'properties', 'required', 'additionalProperties', 'items', 'contentSchema']
const combined = ['anyOf', 'allOf']
const silent = ['$ref', 'title', 'description', 'example', 'examples', 'deprecated']
const elsewhere = new Set([...Object.keys(bounds), ...structure, ...combined, ...silent])

/** Every difference between two schemas. What this does not know by name is compared whole, and then moves. */
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
    ...setChanges(typesOf(a), typesOf(b), 'the type').map((change) => ({ path, ...change })),
    ...setChanges(choicesOf(a), choicesOf(b), 'the choice').map((change) => ({ path, ...change })),
    ...boundChanges(a, b).map((change) => ({ path, ...change })),
    ...otherChanges(a, b).map((change) => ({ path, ...change })),
    ...(isSchema(a.items) && isSchema(b.items) ? below(a.items, b.items, '[]') : partChange(a, b, 'items', path)),
    ...(isSchema(a.contentSchema) ? below(a.contentSchema, b.contentSchema, '') : []),
    ...propertyChanges(a, b, path, below),
    ...combined.flatMap((name) => combinationChanges(a, b, name, path, below)),
    ...(b.deprecated === true && a.deprecated !== true
      ? [{ path, text: endOf(b['x-deprecated']), effect: 'deprecates' as const }]
      : []),
  ]
}

type Below = (one: unknown, other: unknown, step: string) => SchemaChange[]
type Placeless = Omit<SchemaChange, 'path'>

function resolved({ schema, components }: Located): Schema {
  const name = typeof schema.$ref === 'string' ? schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1) : null
  return name === null ? schema : resolved({ schema: components[name] ?? {}, components })
}

function at({ components }: Located, schema: unknown): Located {
  return { components, schema: isSchema(schema) ? schema : {} }
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Null where any type is allowed. An integer is a number. */
function typesOf({ type }: Schema): string[] | null {
  if (type === undefined) return null
  return [type].flat().flatMap((one) => (one === 'number' ? ['number', 'integer'] : [String(one)]))
}

function choicesOf(schema: Schema): string[] | null {
  const values = 'const' in schema ? [schema.const] : schema.enum
  return Array.isArray(values) ? values.map(String) : null
}

function setChanges(before: string[] | null, after: string[] | null, what: string): Placeless[] {
  if (before === null && after === null) return []
  if (before === null) return [{ text: `${what} is ${after?.join(' or ')} alone`, effect: 'narrows' }]
  if (after === null) return [{ text: `${what} is no longer bound to ${before.join(' or ')}`, effect: 'widens' }]
  const lost = before.filter((one) => !after.includes(one))
  const won = after.filter((one) => !before.includes(one))
  return [
    ...lost.map((one) => ({ text: `${what} \`${one}\` is gone`, effect: 'narrows' as const })),
    ...won.map((one) => ({ text: `${what} \`${one}\` is new`, effect: 'widens' as const, isNew: true as const })),
  ]
}

function boundChanges(a: Schema, b: Schema): Placeless[] {
  return Object.entries(bounds).flatMap(([name, largerIsWider]): Placeless[] => {
    const [was, is] = [a[name], b[name]]
    if (was === is) return []
    const grew = Number(is) > Number(was)
    const widens = is === undefined || (was !== undefined && grew === largerIsWider)
    return [{ text: `${name} is ${is ?? 'gone'}, was ${was ?? 'none'}`, effect: widens ? 'widens' : 'narrows' }]
  })
}

function otherChanges(a: Schema, b: Schema): Placeless[] {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])]
  return names.flatMap((name): Placeless[] => {
    const [was, is] = [JSON.stringify(a[name]), JSON.stringify(b[name])]
    if (was === is || elsewhere.has(name) || name.startsWith('x-')) return []
    const isRule = name === 'pattern' || name === 'format'
    const effect = isRule && is === undefined ? 'widens' : isRule && was === undefined ? 'narrows' : 'moves'
    return [{ text: `${name} is ${is ?? 'gone'}, was ${was ?? 'none'}`, effect }]
  })
}

function partChange(a: Schema, b: Schema, name: string, path: string): SchemaChange[] {
  if (name in a === name in b) return []
  return [{ path, text: `${name} is ${name in b ? 'new' : 'gone'}`, effect: name in b ? 'narrows' : 'widens' }]
}

/** Where other fields are refused, a field more is more to send; elsewhere it is a promise more. */
function propertyChanges(a: Schema, b: Schema, path: string, below: Below): SchemaChange[] {
  const [before, after] = [partsOf(a.properties), partsOf(b.properties)]
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

function partsOf(value: unknown): Record<string, unknown> {
  return isSchema(value) ? value : {}
}

function requires({ required }: Schema, name: string): boolean {
  return Array.isArray(required) && required.includes(name)
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

/** By position; an alternative more allows more, a rule more allows less. */
function combinationChanges(a: Schema, b: Schema, name: string, path: string, below: Below): SchemaChange[] {
  const [before, after] = [listOf(a[name]), listOf(b[name])]
  if (before.length === after.length) return before.flatMap((one, index) => below(one, after[index], ''))
  const grew = after.length > before.length && before.length > 0
  const effect =
    before.length === 0 ? 'narrows' : after.length === 0 || grew === (name === 'anyOf') ? 'widens' : 'narrows'
  const same = before.every(
    (one, index) => index >= after.length || JSON.stringify(one) === JSON.stringify(after[index]),
  )
  const text = `has ${after.length} alternatives or rules, had ${before.length}`
  return [{ path, text, effect: same ? effect : 'moves' }]
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** The sentence of an announced end, as the documents carry it. */
export function endOf(announced: unknown): string {
  return isSchema(announced) ? `is ${deprecationText(announced as Deprecation).replace(/^D/, 'd')}` : 'is deprecated'
}

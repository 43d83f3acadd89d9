import { type Deprecation, deprecationText, endDay } from '../../src/contract/shared/deprecation.ts'
import type { End, Ends } from './change.ts'

export type Schema = { [key: string]: unknown }

/** A JSON schema with the components that its references name. */
export type Located = { schema: Schema; components: Record<string, Schema> }

/**
 * The effect of a change on the allowed values: more, fewer, or others; or none, where an end is announced or
 * postponed.
 */
export type Effect = 'widens' | 'narrows' | 'moves' | 'deprecates' | 'spares'
type SchemaChange = Ends & { path: string; text: string; effect: Effect; isNew?: true }
/** A change at the current path. */
export type Placeless = Omit<SchemaChange, 'path'>
/** The changes between two parts of the current schemas, one step further along the path. */
type Below = (one: unknown, other: unknown, step: string) => SchemaChange[]

/** Keywords that combine several schemas. */
const combined = ['anyOf', 'allOf']
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
const silent = ['$ref', 'title', 'description', 'example', 'examples', 'deprecated']
const elsewhere = new Set([...Object.keys(bounds), ...structure, ...combined, ...silent])

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
  const here = [
    ...setChanges(typesOf(a), typesOf(b), 'the type'),
    ...setChanges(choicesOf(a), choicesOf(b), 'the choice'),
    ...boundChanges(a, b),
    ...otherChanges(a, b),
    ...endChanges(endIn(a), endIn(b)),
  ]
  return [
    ...here.map((change) => ({ path, ...change })),
    ...(isSchema(a.items) && isSchema(b.items) ? below(a.items, b.items, '[]') : itemsChange(a, b, path)),
    ...(isSchema(a.contentSchema) ? below(a.contentSchema, b.contentSchema, '') : []),
    ...propertyChanges(a, b, path, below),
    ...combined.flatMap((name) => combinationChanges(a, b, name, path, below)),
  ]
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
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

function itemsChange(a: Schema, b: Schema, path: string): SchemaChange[] {
  if ('items' in a === 'items' in b) return []
  return [{ path, ...('items' in b ? narrows('items is new') : widens('items is gone')) }]
}

/** The end that a document announces of an operation or a field. */
export function endIn({ deprecated, 'x-deprecated': announced }: Schema): End {
  return deprecated === true && isSchema(announced) ? (announced as Deprecation) : null
}

/** How the announcement of an end changes. A date that was announced may only move later. */
export function endChanges(before: End, after: End): Placeless[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (after === null) return [{ text: 'is no longer deprecated', effect: 'spares' }]
  const text = `is ${deprecationText(after).replace(/^D/, 'd')}`
  if (before === null) return [{ text, effect: 'deprecates', announced: after }]
  const [was, is] = [endDay(before), endDay(after)]
  if (is >= was) return [{ text, effect: 'spares' }]
  return [{ text: `may be removed from ${is} on, was from ${was} on`, effect: 'moves', promised: before }]
}

/** Null where any type is allowed. An integer is a number. */
function typesOf({ type }: Schema): string[] | null {
  if (type === undefined) return null
  return [type].flat().flatMap((one) => (one === 'number' ? ['number', 'integer'] : [String(one)]))
}

function choicesOf(schema: Schema): string[] | null {
  const values = 'const' in schema ? [schema.const] : schema.enum
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : null
}

function setChanges(before: string[] | null, after: string[] | null, what: string): Placeless[] {
  if (before === null) return after === null ? [] : [narrows(`${what} is ${after.join(' or ')} alone`)]
  if (after === null) return [widens(`${what} is no longer bound to ${before.join(' or ')}`)]
  const lost = before.filter((one) => !after.includes(one))
  const won = after.filter((one) => !before.includes(one))
  return [
    ...lost.map((one) => narrows(`${what} \`${one}\` is gone`)),
    ...won.map((one) => ({ ...widens(`${what} \`${one}\` is new`), isNew: true as const })),
  ]
}

function boundChanges(a: Schema, b: Schema): Placeless[] {
  return Object.entries(bounds).flatMap(([name, largerIsWider]) => {
    const [was, is] = [a[name], b[name]]
    if (was === is) return []
    const more = is === undefined || (was !== undefined && Number(is) > Number(was) === largerIsWider)
    return (more ? widens : narrows)(`${name} is ${is ?? 'gone'}, was ${was ?? 'none'}`)
  })
}

function otherChanges(a: Schema, b: Schema): Placeless[] {
  return Object.keys({ ...a, ...b }).flatMap((name): Placeless[] => {
    const [was, is] = [JSON.stringify(a[name]), JSON.stringify(b[name])]
    if (was === is || elsewhere.has(name) || name.startsWith('x-')) return []
    const isRule = name === 'pattern' || name === 'format'
    const effect = isRule && is === undefined ? 'widens' : isRule && was === undefined ? 'narrows' : 'moves'
    return [{ text: `${name} is ${is ?? 'gone'}, was ${was ?? 'none'}`, effect }]
  })
}

/**
 * The changes of fields. In a schema that refuses other fields, a new field allows more; elsewhere it guarantees more.
 */
function propertyChanges(a: Schema, b: Schema, path: string, below: Below): SchemaChange[] {
  const [before, after] = [partsOf(a), partsOf(b)]
  const closed = a.additionalProperties === false
  const fields = Object.keys({ ...before, ...after }).flatMap((name): SchemaChange[] => {
    const step = path === '' ? name : `.${name}`
    const [required, requires] = [requiredIn(a).includes(name), requiredIn(b).includes(name)]
    const say = (change: Placeless) => ({ path: path + step, ...change })
    if (!(name in after)) {
      const promised = isSchema(before[name]) ? endIn(before[name]) : null
      return [say({ ...(closed ? narrows : widens)('is gone'), promised })]
    }
    if (!(name in before)) {
      const change = (closed && !requires ? widens : narrows)(requires ? 'is new and required' : 'is new')
      return [say({ ...change, isNew: true })]
    }
    const need = requires ? narrows('is required') : widens('is optional')
    return [...(required === requires ? [] : [say(need)]), ...below(before[name], after[name], step)]
  })
  const [was, is] = [a.additionalProperties ?? true, b.additionalProperties ?? true]
  if (isSchema(was) && isSchema(is)) return [...fields, ...below(was, is, '{}')]
  if (JSON.stringify(was) === JSON.stringify(is)) return fields
  const text = `other fields are ${is === false ? 'refused' : 'taken'}`
  return [...fields, { path, ...(is === true || was === false ? widens : narrows)(text) }]
}

/** The schema of each field. A field that is required but not declared may have any value. */
function partsOf(schema: Schema): Record<string, unknown> {
  const bare = requiredIn(schema).map((name) => [name, {}])
  return { ...Object.fromEntries(bare), ...(isSchema(schema.properties) ? schema.properties : {}) }
}

function requiredIn({ required }: Schema): readonly unknown[] {
  return Array.isArray(required) ? required : []
}

/**
 * The changes of a keyword's alternatives or rules, by position. An additional alternative allows more, an additional
 * rule less.
 */
function combinationChanges(a: Schema, b: Schema, name: string, path: string, below: Below): SchemaChange[] {
  const [before = [], after = []] = [a[name], b[name]].map((one) => (Array.isArray(one) ? one : []))
  const both = before.slice(0, after.length).flatMap((one, index) => below(one, after[index], ''))
  if (before.length === after.length) return both
  const room = ({ length }: unknown[]) => (name === 'allOf' ? -length : length || Number.POSITIVE_INFINITY)
  const text = `has ${after.length} alternatives or rules, had ${before.length}`
  return [...both, { path, ...(room(after) > room(before) ? widens : narrows)(text) }]
}

function widens(text: string): Placeless {
  return { text, effect: 'widens' }
}

function narrows(text: string): Placeless {
  return { text, effect: 'narrows' }
}

import { z } from 'zod'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { defOf, metaOf, numberFormat, type Schema } from './schema.ts'

export type JsonSchema = { [key: string]: unknown }

export type JsonSchemas = {
  /** Named objects, sorted by name. */
  components: [string, JsonSchema][]
  /** The schema of an operation's input or output by operation id; a reference where the whole is a component. */
  inputs: ReadonlyMap<string, JsonSchema>
  outputs: ReadonlyMap<string, JsonSchema>
}

type Io = 'input' | 'output'
type Registry = z.core.$ZodRegistry<{ id: string }>

const prefix = '#/components/schemas/'

/**
 * JSON Schemas of operations. A component whose input differs from its output (a default, unknown fields refused) becomes
 * two: the input is called `<Id>Input`. `more` are further components of responses.
 */
export function jsonSchemas(
  operations: readonly (readonly [string, Operation])[],
  more: readonly Schema[] = [],
): JsonSchemas {
  const sent = registryOf(operations.map(([, { input }]) => input))
  const answered = registryOf([...operations.map(([, { output }]) => output), ...more])
  const outputs = render(answered, 'output', new Set())
  const apart = namesApart(sent, outputs)
  const inputs = render(sent, 'input', apart)
  const named = new Map([...componentsOf(outputs, new Set()), ...componentsOf(inputs, apart)])
  return {
    components: [...named].sort(([a], [b]) => (a < b ? -1 : 1)),
    inputs: new Map(operations.map(([id, { input }], index) => [id, rootOf(input, index, sent, inputs, apart)])),
    outputs: new Map(
      operations.map(([id, { output }], index) => [id, rootOf(output, index, answered, outputs, new Set())]),
    ),
  }
}

/**
 * Every component below the roots by its id. A root without an id is wrapped in an object: the same schema may be a field
 * elsewhere, which must not become a reference to the root.
 */
function registryOf(roots: readonly Schema[]): Registry {
  const registry: Registry = z.registry<{ id: string }>()
  const taken = new Map<string, Schema>()
  const visit = (schema: Schema): void => {
    const id = metaOf(schema).id
    if (id !== undefined && taken.get(id) === schema) return
    if (id !== undefined) {
      if (taken.has(id)) throw new Error(`two components are called ${id}`)
      taken.set(id, schema)
      registry.add(schema, { id })
    }
    for (const part of partsOf(schema)) visit(part)
  }
  for (const [index, root] of roots.entries()) {
    visit(root)
    if (!registry.has(root)) registry.add(z.object({ root: root as z.ZodType }), { id: rootName(index) })
  }
  return registry
}

function partsOf(schema: Schema): readonly Schema[] {
  const def = defOf(schema)
  if (def.type === 'object') return Object.values(def.shape)
  if (def.type === 'array') return [def.element]
  if (def.type === 'record') return [def.valueType]
  if (def.type === 'union') return def.options
  return 'innerType' in def ? [def.innerType] : []
}

function render(registry: Registry, io: Io, apart: ReadonlySet<string>): Record<string, JsonSchema> {
  const uri = (id: string) => `${prefix}${apart.has(id) ? `${id}Input` : id}`
  const { schemas } = z.toJSONSchema(registry, {
    io,
    uri,
    target: 'draft-2020-12',
    override: ({ zodSchema, jsonSchema }) => tidy(zodSchema, jsonSchema, io),
  })
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema as JsonSchema]),
  )
}

/** Components whose input and output differ, and those that refer to them. */
function namesApart(sent: Registry, outputs: Record<string, JsonSchema>): Set<string> {
  const apart = new Set<string>()
  for (;;) {
    const inputs = render(sent, 'input', apart)
    const found = Object.keys(inputs).filter((id) => {
      return (
        !apart.has(id) && isComponent(id) && id in outputs && JSON.stringify(inputs[id]) !== JSON.stringify(outputs[id])
      )
    })
    if (found.length === 0) return apart
    for (const id of found) apart.add(id)
  }
}

function componentsOf(schemas: Record<string, JsonSchema>, apart: ReadonlySet<string>): [string, JsonSchema][] {
  const named = Object.entries(schemas).filter(([id]) => isComponent(id))
  return named.map(([id, schema]) => [apart.has(id) ? `${id}Input` : id, schema])
}

function rootName(index: number): string {
  return `root ${index}`
}

function isComponent(id: string): boolean {
  return !id.startsWith('root ')
}

function rootOf(
  root: Schema,
  index: number,
  registry: Registry,
  schemas: Record<string, JsonSchema>,
  apart: ReadonlySet<string>,
): JsonSchema {
  const id = registry.get(root)?.id
  if (id !== undefined) return { $ref: `${prefix}${apart.has(id) ? `${id}Input` : id}` }
  const properties = schemas[rootName(index)]?.properties as { root?: JsonSchema } | undefined
  if (properties?.root === undefined) throw new Error(`no schema for the operation number ${index}`)
  return properties.root
}

/** Removes keywords without a meaning for readers, and adds what zod leaves out. */
function tidy(zodSchema: Schema, schema: JsonSchema, io: Io): void {
  delete schema.id
  delete schema.proto
  delete schema.message
  delete schema.field
  delete schema.oneof
  if (schema.deprecation !== undefined) announceEnd(schema)
  if (typeof schema.format === 'string' && ['date-time', 'uuid'].includes(schema.format)) delete schema.pattern
  if (schema.format === 'email') delete schema.format // it accepts other addresses than the pattern
  if (isPlainText(schema.propertyNames)) delete schema.propertyNames
  if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties
  tidyNumber(zodSchema, schema, io)
  tidyNullable(schema)
}

/** Whether a schema says no more than what a field name is anyway. */
function isPlainText(schema: unknown): boolean {
  return JSON.stringify(schema) === JSON.stringify({ type: 'string' })
}

/** The keyword says that it is deprecated; an extension says until when, and what to use. */
function announceEnd(schema: JsonSchema): void {
  schema['x-deprecated'] = schema.deprecation
  delete schema.deprecation
}

/** Names the format of a number, without which Go's generators take 32 bits, and removes bounds of an output that it implies. */
function tidyNumber(zodSchema: Schema, schema: JsonSchema, io: Io): void {
  const format = numberFormat(zodSchema)
  if (format === 'int32') {
    schema.format = 'int32'
    if (io === 'output') dropBounds(schema, -2_147_483_648, 2_147_483_647)
  }
  if (format === 'safeint') {
    schema.format = 'int64'
    if (io === 'output') dropBounds(schema, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
  }
  if (schema.type === 'number') schema.format = 'double'
}

function dropBounds(schema: JsonSchema, least: number, most: number): void {
  if (schema.minimum === least) delete schema.minimum
  if (schema.maximum === most) delete schema.maximum
}

/** `anyOf` with null as a list of types, where the other side is one plain type. */
function tidyNullable(schema: JsonSchema): void {
  const [first, second, ...more] = Array.isArray(schema.anyOf) ? (schema.anyOf as JsonSchema[]) : []
  if (first === undefined || second?.type !== 'null' || more.length > 0) return
  if (typeof first.type !== 'string' || 'enum' in first || 'const' in first) return
  delete schema.anyOf
  const { description } = schema
  Object.assign(schema, first, { type: [first.type, 'null'] }, description === undefined ? {} : { description })
}

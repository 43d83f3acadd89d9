import type { z } from 'zod'
import { safeParse } from 'zod/v4/core'
import { deprecationText } from '../../src/contract/shared/deprecation.ts'
import { isStrict } from '../../src/contract/shared/unknown-fields.ts'
import { checkDeprecation } from './deprecations.ts'
import { type EnumType, type Field, type FieldType, type Message, type Scalar, zeros } from './message.ts'
import { fieldName, pascalCase, quoted, snakeCase } from './names.ts'
import { defOf, metaOf, numberFormat, type Schema, textsOf, unwrap } from './schema.ts'

/** Where a schema is used: for error messages, and to name objects without an id. */
type Location = { text: string; owner: Message; field: string; source: string }

export type Messages = {
  request(name: string, group: string, id: string, input: z.ZodObject): Message
  response(name: string, group: string, id: string, output: z.ZodType): Message
  /** The messages are in the order in which the contract first names them. */
  all(): Message[]
  enums(): EnumType[]
}

/** The messages so far, by name; `ids` are those of all operations, which can replace a deprecated field. */
type Table = {
  byName: Map<string, { message: Message; schema: Schema | null }>
  enums: Map<string, EnumType>
  ids: readonly string[]
  /** Schemas that stand in more than one place: their message is the response too. */
  shared: ReadonlySet<Schema>
}

/** Makes the messages of a contract from its schemas. A component that occurs again is the same message. */
export function createMessages(ids: readonly string[], shared: ReadonlySet<Schema>): Messages {
  const table: Table = { byName: new Map(), enums: new Map(), ids, shared }
  return {
    request(name, group, id, input) {
      const message = declare(table, blank(name, group, `Input<${quoted(id)}>`), input, id)
      return fill(table, message, input, `${id} input`)
    },
    response(name, group, id, output) {
      const location = {
        text: `${id} output`,
        owner: blank(name, group, null),
        field: '',
        source: `Output<${quoted(id)}>`,
      }
      if (table.shared.has(output)) return component(table, output as z.core.$ZodType as z.core.$ZodObject, location)
      const message = declare(table, blank(name, group, `Output<${quoted(id)}>`), output, id)
      if (defOf(output).type === 'object')
        return fill(table, message, output as z.core.$ZodType as z.core.$ZodObject, `${id} output`)
      return wrapped(table, message, output, `${id} output`)
    },
    all: () => [...table.byName.values()].map(({ message }) => message),
    enums: () => [...table.enums.values()],
  }
}

function declare(table: Table, message: Message, schema: Schema | null, location: string): Message {
  if (table.byName.has(message.name))
    refuse(location, `two different messages would be called ${message.name}; give one a name with meta({ id })`)
  table.byName.set(message.name, { message, schema })
  return message
}

function blank(name: string, group: string | null, source: string | null, description?: string): Message {
  return { name, group, fields: [], description, source, sent: false, wraps: 'nothing' }
}

function fill(table: Table, message: Message, schema: z.core.$ZodObject, text: string): Message {
  const shape = schema._zod.def.shape
  for (const [json, part] of Object.entries(shape)) {
    const { deprecation } = unwrap(part)
    const others = [...table.ids, ...Object.keys(shape).filter((other) => other !== json)]
    if (deprecation !== undefined) checkDeprecation(`${text}.${json}`, deprecation, others)
    const source = `${message.name}[${quoted(json)}]`
    message.fields.push(field(table, json, part, { text: `${text}.${json}`, owner: message, field: json, source }))
  }
  putInOneofs(message, schema, text)
  const names = message.fields.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) refuse(text, `two fields would be called ${twice}`)
  return message
}

/** Groups the fields of which `meta({ oneof })` says that one at most is there. */
function putInOneofs(message: Message, schema: Schema, text: string): void {
  const groups = Object.entries(metaOf(schema).oneof ?? {})
  for (const [oneof, members] of groups) {
    for (const json of members) {
      const member = message.fields.find((field) => field.json === json)
      if (member === undefined || member.list !== 'none' || member.presence !== 'optional')
        refuse(text, `${json} is no optional field, so it cannot be of the oneof ${oneof}`)
      else member.oneof = oneof
    }
  }
}

function field(table: Table, json: string, schema: Schema, location: Location): Field {
  const { inner, optional, nullable, fallback, description, deprecation } = unwrap(schema)
  if (optional && nullable) refuse(location.text, 'is optional and nullable; protobuf has only one way to be absent')
  const bare = optional || nullable ? `NonNullable<${location.source}>` : location.source
  const shape = shapeOf(table, inner, { ...location, source: bare })
  if (nullable && shape.list !== 'none')
    refuse(location.text, 'is a nullable list; an absent list and an empty one are the same in protobuf')
  const texts = textsOf(defOf(inner).type === 'array' ? (inner as z.core.$ZodArray)._zod.def.element : inner)
  const { type } = shape
  return {
    json,
    name: fieldName(json, schema),
    ...shape,
    presence: nullable ? 'nullable' : optional ? 'optional' : 'required',
    ...(type.kind === 'enum' && texts !== null && { texts }),
    ...(type.kind === 'scalar' && { zero: zeroOf(type.name, inner, fallback) }),
    description,
    deprecated: deprecation !== undefined,
    notes: [
      ...(deprecation === undefined ? [] : [deprecationText(deprecation)]),
      ...(texts !== null && texts.length > 1 && type.kind !== 'enum' ? [`One of: ${texts.join(', ')}.`] : []),
      ...(fallback === undefined || (Array.isArray(fallback) && fallback.length === 0)
        ? []
        : [`Default: ${Array.isArray(fallback) ? fallback.join(', ') : String(fallback)}.`]),
    ],
  }
}

/** What the contract makes of the zero of a type. */
function zeroOf(scalar: Scalar, schema: Schema, fallback: unknown): NonNullable<Field['zero']> {
  const zero = zeros[scalar]
  if (fallback === zero) return 'default'
  return safeParse(schema, zero).success ? 'taken' : 'refused'
}

function shapeOf(table: Table, schema: Schema, location: Location): Pick<Field, 'type' | 'list' | 'choice'> {
  const single = { list: 'none', choice: false } as const
  const def = defOf(schema)
  const proto = metaOf(schema).proto
  if (proto === 'text') return { type: { kind: 'scalar', name: 'string' }, ...single }
  if (proto === 'timestamp' || proto === 'struct') return { type: { kind: proto }, ...single }
  if (proto === 'oneOrMany') return { type: oneOf(schema, location), list: 'oneOrMany', choice: false }
  if (proto === 'topics')
    return { type: { kind: 'message', message: topicPosition(table) }, list: 'topics', choice: false }
  if (proto === 'rows')
    return { type: { kind: 'message', message: row(table, schema, location) }, list: 'rows', choice: false }
  if (proto === 'hashesOrFull')
    return { type: { kind: 'message', message: hashesOrFull(table, schema, location) }, list: 'none', choice: true }
  if (proto !== undefined) return refuse(location.text, `meta({ proto: '${proto}' }) is unknown`)
  if (def.type !== 'array') return { type: typeOf(table, schema, location), ...single }
  return {
    type: typeOf(table, def.element, { ...location, source: `${location.source}[number]` }),
    list: 'plain',
    choice: false,
  }
}

function typeOf(table: Table, schema: Schema, location: Location): FieldType {
  const def = defOf(schema)
  if (metaOf(schema).proto === 'timestamp') return { kind: 'timestamp' }
  if (def.type === 'object')
    return { kind: 'message', message: component(table, schema as z.core.$ZodObject, location) }
  if (def.type === 'unknown') return { kind: 'value' }
  if (isClosed(schema)) return { kind: 'enum', set: enumOf(table, schema, location) }
  if (def.type !== 'record') return { kind: 'scalar', name: scalarOf(schema, location.text) }
  if (defOf(def.keyType).type !== 'string') return refuse(location.text, 'is a record whose keys are not plain text')
  if (defOf(def.valueType).type === 'unknown') return { kind: 'struct' }
  return { kind: 'map', value: scalarOf(def.valueType, location.text) }
}

/** A closed set is an enum, unless `meta({ proto: 'text' })` says that it grows. A single literal is a text that is fixed. */
function isClosed(schema: Schema): boolean {
  const { proto, message } = metaOf(schema)
  return textsOf(schema) !== null && proto !== 'text' && (defOf(schema).type === 'enum' || message !== undefined)
}

/** The enum of a set, by its name. Sets of one name are parts of one enum. */
function enumOf(table: Table, schema: Schema, { owner, field }: Location): EnumType {
  const name = metaOf(schema).message ?? owner.name + pascalCase(field)
  const set = table.enums.get(name) ?? { name, group: owner.group, texts: [] }
  table.enums.set(name, set)
  if (set.group !== owner.group) set.group = null
  for (const text of textsOf(schema) ?? []) if (!set.texts.includes(text)) set.texts.push(text)
  return set
}

function component(table: Table, schema: z.core.$ZodObject, location: Location): Message {
  const catchall = schema._zod.def.catchall
  if (catchall !== undefined && !isStrict(schema)) refuse(location.text, 'accepts fields that it does not name')
  const { id, message: name = id, description } = metaOf(schema)
  if (name === undefined) {
    const nested = blank(
      location.owner.name + pascalCase(location.field),
      location.owner.group,
      location.source,
      description,
    )
    return fill(table, declare(table, nested, schema, location.text), schema, location.text)
  }
  const known = table.byName.get(name)
  if (known === undefined)
    return fill(
      table,
      declare(table, blank(name, null, location.source, description), schema, location.text),
      schema,
      location.text,
    )
  if (known.schema !== schema) refuse(location.text, `another object is already called ${name}`)
  return known.message
}

function oneOf(schema: Schema, location: Location): FieldType {
  const def = defOf(schema)
  const one = def.type === 'union' ? def.options[0] : undefined
  if (one === undefined) return refuse(location.text, 'is not a union of a value and a list of it')
  return { kind: 'scalar', name: scalarOf(one, location.text) }
}

function topicPosition(table: Table): Message {
  const known = table.byName.get('TopicPosition')?.message
  if (known !== undefined) return known
  const message = blank('TopicPosition', null, null, 'A position of a log filter; an empty one matches any topic')
  message.fields.push(listField('any_of', 'string'))
  return declare(table, message, null, 'TopicPosition')
}

function row(table: Table, schema: Schema, location: Location): Message {
  const def = defOf(schema)
  const inner = def.type === 'array' ? defOf(def.element) : def
  if (inner.type !== 'array') return refuse(location.text, 'is not a list of lists')
  const message = blank(location.owner.name + pascalCase(location.field), location.owner.group, null)
  message.fields.push(listField('values', scalarOf(inner.element, location.text)))
  return declare(table, message, null, location.text)
}

function hashesOrFull(table: Table, schema: Schema, location: Location): Message {
  const def = defOf(schema)
  const lists = def.type === 'union' ? def.options.map(defOf) : []
  const element = lists[1]?.type === 'array' ? lists[1].element : undefined
  if (element === undefined || defOf(element).type !== 'object')
    return refuse(location.text, 'is not a list of hashes or a list of objects')
  const source = `Exclude<${location.source}[number], string>`
  const full = component(table, element as z.core.$ZodObject, { ...location, source })
  const name = location.owner.name + pascalCase(location.field)
  const { group } = location.owner
  const message = blank(name, group, null, 'The hashes, or the whole objects')
  for (const [field, list] of [
    ['hashes', listOf(table, 'Hash', { kind: 'scalar', name: 'string' })],
    ['full', listOf(table, full.name, { kind: 'message', message: full })],
  ] as const)
    message.fields.push({
      ...listField(field, 'string'),
      type: { kind: 'message', message: list },
      list: 'none',
      oneof: 'list',
    })
  return declare(table, message, null, location.text)
}

/** The message of a list, which a oneof needs. All lists of the same items are one message. */
function listOf(table: Table, of: string, items: FieldType): Message {
  const name = `${of}List`
  const known = table.byName.get(name)?.message
  if (known !== undefined) return known
  const list = blank(name, items.kind === 'message' ? items.message.group : null, null)
  list.fields.push({ ...listField('items', 'string'), type: items })
  return declare(table, list, null, name)
}

/** Wraps an output that is not an object into a message with one field. */
function wrapped(table: Table, message: Message, output: Schema, text: string): Message {
  const { inner, nullable } = unwrap(output)
  const id = metaOf(inner).id
  const list = defOf(inner).type === 'array'
  const name = list ? 'items' : nullable && id !== undefined ? snakeCase(id) : 'value'
  const location = { text, owner: message, field: name, source: message.name }
  message.fields.push({ ...field(table, name, output, location), description: undefined })
  message.wraps = list ? 'list' : nullable ? 'nullable' : 'value'
  return message
}

function listField(name: string, scalar: Scalar): Field {
  const type: FieldType = { kind: 'scalar', name: scalar }
  return {
    json: name,
    name,
    type,
    list: 'plain',
    choice: false,
    presence: 'required',
    description: undefined,
    deprecated: false,
    notes: [],
  }
}

function scalarOf(schema: Schema, location: string): Scalar {
  const def = defOf(schema)
  if (def.type === 'string' || textsOf(schema) !== null) return 'string'
  if (def.type === 'boolean') return 'bool'
  if (def.type !== 'number') return refuse(location, `is a ${def.type}, which not every protocol can express`)
  const format = numberFormat(schema)
  if (format === undefined || format === 'float64') return 'double'
  if (format === 'int32') return 'int32'
  if (format === 'safeint') return 'int64'
  return refuse(location, `is a number of format ${format}; use z.int32(), z.int() or z.number()`)
}

function refuse(location: string, reason: string): never {
  throw new Error(`${location}: ${reason}`)
}

import type { z } from 'zod'
import { deprecationText } from '../../src/contract/shared/deprecation.ts'
import { checkDeprecation } from './deprecations.ts'
import type { Field, FieldType, Message, Scalar } from './message.ts'
import { pascalCase, quoted, snakeCase } from './names.ts'
import { defOf, isStrict, metaOf, numberFormat, type Schema, textsOf, unwrap } from './schema.ts'

/** Where a schema stands: for the sentences of refusals, and to name what has no name of its own. */
type Place = { text: string; owner: Message; field: string; source: string }

export type Messages = {
  request(name: string, group: string, id: string, input: z.ZodObject): Message
  response(name: string, group: string, id: string, output: z.ZodType): Message
  /** In the order in which the contract first names them. */
  all(): Message[]
}

/**
 * Makes the messages of a contract out of its schemas; a component that is met again is the same message. `ids` are those
 * of all operations: what may do the work of a deprecated field.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the messages of a contract refer to each other, and share one table
export function createMessages(ids: readonly string[]): Messages {
  const byName = new Map<string, { message: Message; schema: Schema | null }>()

  function declare(message: Message, schema: Schema | null, place: string): Message {
    if (byName.has(message.name))
      refuse(place, `two different messages would be called ${message.name}; give one a name with meta({ id })`)
    byName.set(message.name, { message, schema })
    return message
  }

  function blank(name: string, group: string | null, source: string | null, description?: string): Message {
    return { name, group, fields: [], description, source, sent: false, wraps: 'nothing' }
  }

  function fill(message: Message, schema: z.core.$ZodObject, text: string): Message {
    const shape = schema._zod.def.shape
    for (const [json, part] of Object.entries(shape)) {
      const { deprecation } = unwrap(part)
      const others = [...ids, ...Object.keys(shape).filter((other) => other !== json)]
      if (deprecation !== undefined) checkDeprecation(`${text}.${json}`, deprecation, others)
      const source = `${message.name}[${quoted(json)}]`
      message.fields.push(field(json, part, { text: `${text}.${json}`, owner: message, field: json, source }))
    }
    const names = message.fields.map(({ name }) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined) refuse(text, `two fields would be called ${twice}`)
    return message
  }

  function field(json: string, schema: Schema, place: Place): Field {
    const { inner, optional, nullable, fallback, description, deprecation } = unwrap(schema)
    if (optional && nullable) refuse(place.text, 'is optional and nullable; protobuf has one way to say absent')
    const bare = optional || nullable ? `NonNullable<${place.source}>` : place.source
    const shape = shapeOf(inner, { ...place, source: bare })
    if (nullable && shape.list !== 'none')
      refuse(place.text, 'is a nullable list; an absent list and an empty one are the same in protobuf')
    const texts = textsOf(defOf(inner).type === 'array' ? (inner as z.core.$ZodArray)._zod.def.element : inner)
    return {
      json,
      name: snakeCase(json),
      ...shape,
      presence: nullable ? 'nullable' : optional ? 'optional' : 'required',
      description,
      deprecated: deprecation !== undefined,
      notes: [
        ...(deprecation === undefined ? [] : [deprecationText(deprecation)]),
        ...(texts !== null && texts.length > 1 ? [`One of: ${texts.join(', ')}.`] : []),
        ...(fallback === undefined
          ? []
          : [`Default: ${Array.isArray(fallback) ? fallback.join(', ') : String(fallback)}.`]),
      ],
    }
  }

  function shapeOf(schema: Schema, place: Place): Pick<Field, 'type' | 'list' | 'choice'> {
    const single = { list: 'none', choice: false } as const
    const def = defOf(schema)
    const proto = metaOf(schema).proto
    if (proto === 'timestamp' || proto === 'struct') return { type: { kind: proto }, ...single }
    if (proto === 'oneOrMany') return { type: oneOf(schema, place), list: 'oneOrMany', choice: false }
    if (proto === 'topics')
      return { type: { kind: 'message', message: topicPosition() }, list: 'topics', choice: false }
    if (proto === 'rows') return { type: { kind: 'message', message: row(schema, place) }, list: 'rows', choice: false }
    if (proto === 'hashesOrFull')
      return { type: { kind: 'message', message: hashesOrFull(schema, place) }, list: 'none', choice: true }
    if (proto !== undefined) return refuse(place.text, `meta({ proto: '${proto}' }) is not known`)
    if (def.type !== 'array') return { type: typeOf(schema, place), ...single }
    return { type: typeOf(def.element, { ...place, source: `${place.source}[number]` }), list: 'plain', choice: false }
  }

  function typeOf(schema: Schema, place: Place): FieldType {
    const def = defOf(schema)
    if (metaOf(schema).proto === 'timestamp') return { kind: 'timestamp' }
    if (def.type === 'object') return { kind: 'message', message: component(schema as z.core.$ZodObject, place) }
    if (def.type === 'unknown') return { kind: 'value' }
    if (def.type !== 'record') return { kind: 'scalar', name: scalarOf(schema, place.text) }
    if (defOf(def.keyType).type !== 'string') return refuse(place.text, 'is a record whose keys are not plain text')
    if (defOf(def.valueType).type === 'unknown') return { kind: 'struct' }
    return { kind: 'map', value: scalarOf(def.valueType, place.text) }
  }

  function component(schema: z.core.$ZodObject, place: Place): Message {
    const catchall = schema._zod.def.catchall
    if (catchall !== undefined && !isStrict(schema)) refuse(place.text, 'takes fields that it does not name')
    const { id, description } = metaOf(schema)
    if (id === undefined) {
      const nested = blank(place.owner.name + pascalCase(place.field), place.owner.group, place.source, description)
      return fill(declare(nested, schema, place.text), schema, place.text)
    }
    const known = byName.get(id)
    if (known === undefined)
      return fill(declare(blank(id, null, place.source, description), schema, place.text), schema, place.text)
    if (known.schema !== schema) refuse(place.text, `another object is called ${id} already`)
    return known.message
  }

  function oneOf(schema: Schema, place: Place): FieldType {
    const def = defOf(schema)
    const one = def.type === 'union' ? def.options[0] : undefined
    if (one === undefined) return refuse(place.text, 'is not a union of a value and a list of it')
    return { kind: 'scalar', name: scalarOf(one, place.text) }
  }

  function topicPosition(): Message {
    const known = byName.get('TopicPosition')?.message
    if (known !== undefined) return known
    const message = blank('TopicPosition', null, null, 'A position of a log filter; an empty one takes any topic')
    message.fields.push(listField('any_of', 'string'))
    return declare(message, null, 'TopicPosition')
  }

  function row(schema: Schema, place: Place): Message {
    const def = defOf(schema)
    const inner = def.type === 'array' ? defOf(def.element) : def
    if (inner.type !== 'array') return refuse(place.text, 'is not a list of lists')
    const message = blank(place.owner.name + pascalCase(place.field), place.owner.group, null)
    message.fields.push(listField('values', scalarOf(inner.element, place.text)))
    return declare(message, null, place.text)
  }

  function hashesOrFull(schema: Schema, place: Place): Message {
    const def = defOf(schema)
    const lists = def.type === 'union' ? def.options.map(defOf) : []
    const full = lists[1]?.type === 'array' ? lists[1].element : undefined
    if (full === undefined) return refuse(place.text, 'is not a list of hashes or a list of objects')
    const source = `Exclude<${place.source}[number], string>`
    const message = blank(
      place.owner.name + pascalCase(place.field),
      place.owner.group,
      null,
      'One of the two lists, or neither',
    )
    message.fields.push(listField('hashes', 'string'))
    message.fields.push({ ...listField('full', 'string'), type: typeOf(full, { ...place, source }) })
    return declare(message, null, place.text)
  }

  /** The field of an output that is no object, and the way it is wrapped. */
  function wrapped(message: Message, output: Schema, text: string): Message {
    const { inner, nullable } = unwrap(output)
    const id = metaOf(inner).id
    const list = defOf(inner).type === 'array'
    const name = list ? 'items' : nullable && id !== undefined ? snakeCase(id) : 'value'
    const place = { text, owner: message, field: name, source: message.name }
    message.fields.push({ ...field(name, output, place), description: undefined })
    message.wraps = list ? 'list' : nullable ? 'nullable' : 'value'
    return message
  }

  return {
    request(name, group, id, input) {
      const message = declare(blank(name, group, `Input<${quoted(id)}>`), input, id)
      return fill(message, input, `${id} input`)
    },
    response(name, group, id, output) {
      const message = declare(blank(name, group, `Output<${quoted(id)}>`), output, id)
      if (defOf(output).type === 'object')
        return fill(message, output as z.core.$ZodType as z.core.$ZodObject, `${id} output`)
      return wrapped(message, output, `${id} output`)
    },
    all: () => [...byName.values()].map(({ message }) => message),
  }
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

function scalarOf(schema: Schema, place: string): Scalar {
  const def = defOf(schema)
  if (def.type === 'string' || textsOf(schema) !== null) return 'string'
  if (def.type === 'boolean') return 'bool'
  if (def.type !== 'number') return refuse(place, `is a ${def.type}, which not every protocol can say`)
  const format = numberFormat(schema)
  if (format === undefined || format === 'float64') return 'double'
  if (format === 'int32') return 'int32'
  if (format === 'safeint') return 'int64'
  return refuse(place, `is a number of format ${format}; use z.int32(), z.int() or z.number()`)
}

function refuse(place: string, reason: string): never {
  throw new Error(`${place}: ${reason}`)
}

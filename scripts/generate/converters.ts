import type { Lock } from './field-numbers.ts'
import { type EnumType, type Field, type FieldType, isZeroAbsent, type Message, zeros } from './message.ts'
import type { Model } from './model.ts'
import { enumValueName, propertyKey, quoted } from './names.ts'
import { header } from './write.ts'

/**
 * Functions between the values of the contract and of protobuf: `toX` and `fromX` for each message. Where both are equal they
 * return their argument. After a change of the contract the code does not compile until it is generated again.
 */
export function convertersFile(model: Model, lock: Lock): string {
  const typed = model.messages.filter(({ source }) => source !== null)
  const files = [...model.services.map(({ group }) => group), 'types']
  const imports = files.map((file) => `import type * as ${file} from './proto/trident/v1/${file}.ts'`).sort()
  const shapes = model.messages.filter(({ source, wraps }) => source !== null && wraps === 'nothing')
  return `${[
    `// ${header}`,
    [
      `import type { OperationId, OperationOf } from '../../src/contract/index.ts'`,
      ...imports,
      helperImport(model, typed),
    ].join('\n'),
    inputAndOutput,
    ...model.enums.map((set) => enumTable(set, lock)),
    typed.map(({ name, source }) => `type ${name} = ${source}`).join('\n'),
    `// Does not compile where the contract has other fields than this file.\n${guards(shapes)}`,
    ...typed.map((message) => `${toFunction(message)}\n\n${fromFunction(message)}`),
  ].join('\n\n')}\n`
}

const inputAndOutput = `/** An input of a caller, before defaults are set. */
type Input<Id extends OperationId> = OperationOf<Id>['example']['input']
/** An output of a handler; for a stream, one event. */
type Output<Id extends OperationId> = OperationOf<Id>['example']['output']`

const helpers = [
  'caseOf',
  'eachEnum',
  'eachFrom',
  'filled',
  'filledMap',
  'fromEitherList',
  'fromOneOrMany',
  'fromTimestamp',
  'fromTopics',
  'maybe',
  'nonZero',
  'present',
  'toEitherList',
  'toOneOrMany',
  'toTimestamp',
  'toTopics',
]

/** Imports only what the functions below use. */
function helperImport({ enums }: Model, typed: readonly Message[]): string {
  const text = typed.map((message) => toFunction(message) + fromFunction(message)).join('\n')
  const used = (enums.length === 0 ? [] : ['enumOf']).concat(
    helpers.filter((name) => new RegExp(`\\b${name}\\b`).test(text)),
  )
  return `import { ${[...used, 'type SameKeys', 'type Sent'].join(', ')} } from './values.ts'`
}

/** The numbers of an enum by the texts of the contract. */
function enumTable({ name, group, texts }: EnumType, lock: Lock): string {
  const numbers = texts.map((text) => `${propertyKey(text)}: ${lock[name]?.[enumValueName(name, text)]?.number}`)
  return `const set${name} = enumOf<${group ?? 'types'}.${name}>({ ${numbers.join(', ')} })`
}

function guards(shapes: readonly Message[]): string {
  const lines = shapes.map(({ name, fields }) => {
    const keys = fields.map(({ json }) => quoted(json)).join(' | ')
    // zod types an object without fields as one without any text key, which is not an object without keys.
    return `true satisfies SameKeys<${name}, ${keys === '' ? 'string' : keys}>`
  })
  return lines.join('\n')
}

/** Type of the stub, such as `types.Token`. */
function stubOf({ name, group }: Message): string {
  return `${group ?? 'types'}.${name}`
}

function toFunction(message: Message): string {
  const value = message.fields.length === 0 ? '_value' : 'value'
  const head = `export function to${message.name}(${value}: ${message.name}): ${stubOf(message)} {`
  return `${head}\n  return ${toBody(message)}\n}`
}

function fromFunction(message: Message): string {
  const sent = message.fields.length === 0 ? '_message' : 'message'
  const head = `export function from${message.name}(${sent}: ${stubOf(message)}): Sent<${message.name}> {`
  return `${head}\n  return ${fromBody(message)}\n}`
}

function toBody(message: Message): string {
  const [first] = message.fields
  if (first === undefined) return '{}'
  if (message.wraps !== 'nothing') return `{ ${first.name}: ${toExpression(message, first, 'value')} }`
  if (agreesTo(message)) return 'value'
  const plain = message.fields
    .filter(({ oneof }) => oneof === undefined)
    .map((field): [string, string] => [field.name, toExpression(message, field, access('value', field.json))])
  const oneofs = Map.groupBy(
    message.fields.filter(({ oneof }) => oneof !== undefined),
    ({ oneof }) => oneof as string,
  )
  return objectText([...plain, ...[...oneofs].map(([oneof, fields]): [string, string] => [oneof, toOneof(fields)])])
}

/** The member of a oneof that is there. */
function toOneof(fields: readonly Field[]): string {
  return fields.reduceRight((otherwise, { json, name, type }) => {
    const value = access('value', json)
    const convert = toOf(type)
    const inside = convert === null ? value : `${convert}(${value})`
    return `${value} !== undefined ? { $case: ${quoted(name)}, value: ${inside} } : ${otherwise}`
  }, 'undefined')
}

function fromBody(message: Message): string {
  const [first] = message.fields
  if (first === undefined) return '{}'
  if (message.wraps !== 'nothing') return fromExpression(message, first, access('message', first.name))
  const pairs = message.fields.map((field): [string, string] => [
    field.json,
    field.oneof === undefined ? fromExpression(message, field, access('message', field.name)) : fromOneof(field),
  ])
  return `present(${objectText(pairs)})`
}

function fromOneof({ oneof, name, type }: Field): string {
  const value = `caseOf(message.${oneof}, ${quoted(name)})`
  const convert = fromOf(type)
  return convert === null ? value : `maybe(${value}, ${convert})`
}

function objectText(pairs: [string, string][]): string {
  const lines = pairs.map(([key, text]) => `    ${/^[A-Za-z_$][\w$]*$/.test(key) ? key : quoted(key)}: ${text},`)
  return `{\n${lines.join('\n')}\n  }`
}

function access(owner: string, key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `${owner}.${key}` : `${owner}[${quoted(key)}]`
}

/** A request may lack required fields: the gateway refuses it, and a test must be able to send it. */
function mayBeAbsent(message: Message, field: Field): boolean {
  return message.sent || field.presence !== 'required'
}

function toExpression(message: Message, field: Field, value: string): string {
  const convert = toOf(field.type)
  const absent = mayBeAbsent(message, field)
  if (field.list === 'oneOrMany') return `toOneOrMany(${value})`
  if (field.list === 'topics') return `toTopics(${value})`
  if (field.list === 'rows')
    return absent ? `(${value} ?? []).map((values) => ({ values }))` : `${value}.map((values) => ({ values }))`
  if (field.choice) return absent ? `maybe(${value}, (list) => ${eitherTo(field, 'list')})` : eitherTo(field, value)
  if (field.list === 'plain') {
    const list = absent ? `${value} ?? []` : value
    return convert === null ? list : `${absent ? `(${list})` : list}.map(${convert})`
  }
  if (field.type.kind === 'enum') return `${toOf(field.type)}(${value})`
  if (isZeroAbsent(message, field))
    return isLong(field.type) ? `BigInt(${value} ?? 0)` : `${value} ?? ${zeroText(field)}`
  if (convert !== null) return absent ? `maybe(${value}, ${convert})` : `${convert}(${value})`
  if (field.type.kind === 'map' && absent) return `${value} ?? {}`
  return field.presence === 'nullable' ? `${value} ?? undefined` : value
}

function fromExpression(message: Message, field: Field, value: string): string {
  const convert = fromOf(field.type)
  const absent = field.presence !== 'required'
  if (field.list === 'oneOrMany') return `fromOneOrMany(${value})`
  if (field.list === 'topics') return absent ? `maybe(filled(${value}), fromTopics)` : `fromTopics(${value})`
  if (field.list === 'rows')
    return absent ? `filled(${value})?.map(({ values }) => values)` : `${value}.map(({ values }) => values)`
  if (field.choice) return `maybe(${value}, (lists) => fromEitherList(lists, ${fullConverter(field, 'from')}))`
  if (field.list === 'plain' && field.type.kind === 'enum')
    return absent ? `maybe(filled(${value}), (list) => eachEnum(list, ${convert}))` : `eachEnum(${value}, ${convert})`
  if (field.list === 'plain') {
    if (convert === null) return absent ? `filled(${value})` : value
    return absent ? `maybe(filled(${value}), (list) => eachFrom(list, ${convert}))` : `eachFrom(${value}, ${convert})`
  }
  if (field.type.kind === 'map') return absent ? `filledMap(${value})` : value
  const there = isZeroAbsent(message, field) ? `nonZero(${value})` : value
  const single =
    convert === null ? there : field.type.kind === 'enum' ? `${convert}(${value})` : `maybe(${there}, ${convert})`
  return field.presence === 'nullable' ? `${single} ?? null` : single
}

function zeroText({ type }: Field): string {
  if (type.kind !== 'scalar') return 'undefined'
  return type.name === 'string' ? "''" : String(zeros[type.name])
}

function eitherTo(field: Field, value: string): string {
  return `toEitherList(${value}, ${fullConverter(field, 'to')})`
}

function fullConverter(field: Field, direction: 'to' | 'from'): string {
  const full = field.type.kind === 'message' ? field.type.message.fields.find(({ name }) => name === 'full') : undefined
  const items = full?.type.kind === 'message' ? full.type.message.fields[0]?.type : undefined
  if (items?.kind !== 'message') throw new Error(`${field.json} is a choice without full objects`)
  return `${direction}${items.message.name}`
}

/** The function for one value, or null where both sides are equal. */
function toOf(type: FieldType): string | null {
  if (type.kind === 'timestamp') return 'toTimestamp'
  if (isLong(type)) return 'BigInt'
  if (type.kind === 'enum') return `set${type.set.name}.to`
  if (type.kind !== 'message') return null
  return agreesTo(type.message) ? null : `to${type.message.name}`
}

function fromOf(type: FieldType): string | null {
  if (type.kind === 'timestamp') return 'fromTimestamp'
  if (isLong(type)) return 'Number'
  if (type.kind === 'enum') return `set${type.set.name}.from`
  return type.kind === 'message' ? `from${type.message.name}` : null
}

/** A 64-bit number: the stub has it exactly, and one beyond the range of the contract is refused there. */
function isLong(type: FieldType): boolean {
  return type.kind === 'scalar' && type.name === 'int64'
}

/** True where a value of the contract can be encoded as it is. */
function agreesTo(message: Message): boolean {
  return message.fields.every((field) => {
    const plain = field.list === 'none' || (field.list === 'plain' && !mayBeAbsent(message, field))
    const present = field.type.kind === 'map' ? !mayBeAbsent(message, field) : field.presence !== 'nullable'
    const zeroAbsent = isZeroAbsent(message, field)
    return (
      plain &&
      present &&
      !field.choice &&
      !zeroAbsent &&
      field.oneof === undefined &&
      field.json === field.name &&
      toOf(field.type) === null
    )
  })
}

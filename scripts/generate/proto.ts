import { deprecationText } from '../../src/contract/shared/deprecation.ts'
import { type Lock, type LockedField, reservedOf, typeText } from './field-numbers.ts'
import { type EnumType, type Field, type FieldType, type Message, tellsZero } from './message.ts'
import type { Method, Model, Service } from './model.ts'
import { enumValueName, pascalCase, snakeCase } from './names.ts'
import { header } from './write.ts'

const packagePath = 'trident/v1'
/** The .proto of shared messages. No group may have this name. */
const sharedFile = 'types'

/** The .proto files by path from the folder `proto`: one for each group, and one for shared messages. */
export function protoFiles(model: Model, lock: Lock): Map<string, string> {
  const textOf = (group: string | null, services: string[]) => {
    const messages = model.messages.filter((message) => message.group === group)
    const enums = model.enums.filter((set) => set.group === group)
    return fileText(group, services, messages, enums, lock)
  }
  const files = model.services.map((service): [string, string] => [
    fileOf(service.group),
    textOf(service.group, [serviceText(service)]),
  ])
  return new Map([...files, [fileOf(null), textOf(null, [])]])
}

/**
 * Where the code of a caller stands, by language. The path of Go is relative, so that `protoc --go_out` alone writes a folder
 * of the caller's module.
 */
function optionsOf(group: string | null): string {
  return [
    'option csharp_namespace = "Trident.V1";',
    'option go_package = "trident/v1;tridentv1";',
    'option java_multiple_files = true;',
    // Without it the class of a file is called after the file, as a message or a class of Java may be.
    `option java_outer_classname = "${pascalCase(group ?? sharedFile)}Proto";`,
    'option java_package = "dev.trident.v1";',
  ].join('\n')
}

function fileOf(group: string | null): string {
  if (group === sharedFile)
    throw new Error(`a group cannot be called ${sharedFile}: its .proto has the shared messages`)
  return `${packagePath}/${group ?? sharedFile}.proto`
}

function fileText(
  group: string | null,
  services: string[],
  messages: Message[],
  enums: EnumType[],
  lock: Lock,
): string {
  const imports = importsOf(group, messages).map((file) => `import "${file}";`)
  const head = [`// ${header}`, '', 'syntax = "proto3";', '', 'package trident.v1;']
  const blocks = [
    ...services,
    ...enums.map((set) => enumText(set, lock[set.name] ?? {})),
    ...messages.map((message) => messageText(message, lock[message.name] ?? {})),
  ]
  const parts = [head.join('\n'), ...(imports.length === 0 ? [] : [imports.join('\n')]), optionsOf(group), ...blocks]
  return `${parts.join('\n\n')}\n`
}

function importsOf(group: string | null, messages: Message[]): string[] {
  const types = messages.flatMap(({ fields }) => fields.map(({ type }) => type))
  return [...new Set(types.flatMap((type) => importOf(group, type)))].sort()
}

function importOf(group: string | null, type: FieldType): string[] {
  if (type.kind === 'timestamp') return ['google/protobuf/timestamp.proto']
  if (type.kind === 'struct' || type.kind === 'value') return ['google/protobuf/struct.proto']
  const owner = type.kind === 'message' ? type.message.group : type.kind === 'enum' ? type.set.group : group
  return owner === group ? [] : [fileOf(owner)]
}

function serviceText({ name, group, methods }: Service): string {
  const taken = new Set(methods.map((method) => method.name))
  const rpcs = methods.map((method) => `${comment('  ', sentences(method))}  ${rpcText(method, taken)}`)
  return `// The operations of the group ${group}.\nservice ${name} {\n${rpcs.join('\n')}\n}`
}

/** Within a service the name of a method hides a message of the same name. */
function rpcText({ name, request, response, stream, operation }: Method, taken: ReadonlySet<string>): string {
  const answer = taken.has(response.name) ? `trident.v1.${response.name}` : response.name
  const options = operation.deprecated === undefined ? ';' : ' {\n    option deprecated = true;\n  }'
  return `rpc ${name}(${request.name}) returns (${stream ? 'stream ' : ''}${answer})${options}`
}

function sentences({ operation }: Method): string[] {
  const { scope: needed = 'none' } = operation
  return [
    sentence(operation.summary),
    ...(operation.description === undefined ? [] : [sentence(operation.description)]),
    ...(needed === 'none' ? [] : [`A session needs the scope ${needed}.`]),
    ...(operation.deprecated === undefined ? [] : [deprecationText(operation.deprecated)]),
  ]
}

function reservedText(locked: Record<string, LockedField>): string[] {
  const { numbers, names } = reservedOf(locked)
  return [
    ...(numbers.length === 0 ? [] : [`  reserved ${numbers.join(', ')};`]),
    ...(names.length === 0 ? [] : [`  reserved ${names.map((name) => `"${name}"`).join(', ')};`]),
  ]
}

/** Zero is what a reader finds where the field is absent. */
function enumText({ name, texts }: EnumType, locked: Record<string, LockedField>): string {
  const values = texts
    .map((text) => ({ name: enumValueName(name, text), number: numberOf(name, enumValueName(name, text), locked) }))
    .sort((a, b) => a.number - b.number)
  const lines = [{ name: enumValueName(name, 'unspecified'), number: 0 }, ...values].map(
    (value) => `  ${value.name} = ${value.number};`,
  )
  return `enum ${name} {\n${[...reservedText(locked), ...lines].join('\n')}\n}`
}

function messageText(message: Message, locked: Record<string, LockedField>): string {
  const numbered = message.fields.map((field) => ({ field, number: numberOf(message.name, field.name, locked) }))
  const sorted = numbered.sort((a, b) => a.number - b.number)
  const textsOf = (fields: typeof sorted) => fields.map(({ field, number }) => fieldText(message, field, number))
  const oneofs = [...Map.groupBy(sorted, ({ field }) => field.oneof)].flatMap(([oneof, fields]) =>
    oneof === undefined ? [] : [`  oneof ${oneof} {\n${textsOf(fields).join('\n').replaceAll(/^/gm, '  ')}\n  }`],
  )
  const head = comment('', message.description === undefined ? [] : [sentence(message.description)])
  const body = [...reservedText(locked), ...textsOf(sorted.filter(({ field }) => field.oneof === undefined)), ...oneofs]
  return body.length === 0
    ? `${head}message ${message.name} {}`
    : `${head}message ${message.name} {\n${body.join('\n')}\n}`
}

function numberOf(owner: string, name: string, locked: Record<string, LockedField>): number {
  const given = locked[name]
  if (given === undefined || given.removed) throw new Error(`${owner}.${name} has no number in the lock`)
  return given.number
}

/** A scalar is `optional` only where its zero is a value of its own. */
function fieldText(message: Message, field: Field, number: number): string {
  const isList = field.list !== 'none'
  const label = tellsZero(message, field) ? 'optional ' : ''
  const { type, texts } = field
  const isPart = type.kind === 'enum' && texts !== undefined && texts.length > 1 && texts.length < type.set.texts.length
  const taken = isPart ? [`One of: ${texts.join(', ')}.`] : []
  const needed = message.sent && field.presence === 'required' && !isList ? ['Required.'] : []
  const says = [
    ...(field.description === undefined ? [] : [sentence(field.description)]),
    ...taken,
    ...field.notes,
    ...needed,
  ]
  const marks = [
    ...(field.deprecated ? ['deprecated = true'] : []),
    ...(field.name === snakeCase(field.json) ? [] : [`json_name = "${field.json}"`]),
  ]
  const settings = marks.length === 0 ? '' : ` [${marks.join(', ')}]`
  return `${comment('  ', says)}  ${label}${typeText(field.type, isList)} ${field.name} = ${number}${settings};`
}

function sentence(text: string): string {
  return /[.!?:]$/.test(text) ? text : `${text}.`
}

/** Comment lines of at most 110 columns, or nothing. */
function comment(indent: string, says: string[]): string {
  const lines: string[] = []
  for (const word of says.flatMap((text) => text.split(/\s+/))) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < 105) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.map((line) => `${indent}// ${line}\n`).join('')
}

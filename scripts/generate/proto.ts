import { deprecationText } from '../../src/contract/shared/deprecation.ts'
import { type Lock, type LockedField, reservedOf, typeText } from './field-numbers.ts'
import type { Field, FieldType, Message } from './message.ts'
import type { Method, Model, Service } from './model.ts'
import { header } from './write.ts'

const packagePath = 'trident/v1'
/** The .proto of shared messages. No group may have this name. */
const sharedFile = 'types'

/** The .proto files by path from the folder `proto`: one for each group, and one for shared messages. */
export function protoFiles(model: Model, lock: Lock): Map<string, string> {
  const shared = model.messages.filter(({ group }) => group === null)
  const files = model.services.map((service): [string, string] => {
    const messages = model.messages.filter(({ group }) => group === service.group)
    return [fileOf(service.group), fileText(service.group, [serviceText(service)], messages, lock)]
  })
  return new Map([...files, [fileOf(null), fileText(null, [], shared, lock)]])
}

function fileOf(group: string | null): string {
  if (group === sharedFile)
    throw new Error(`a group cannot be called ${sharedFile}: its .proto has the shared messages`)
  return `${packagePath}/${group ?? sharedFile}.proto`
}

function fileText(group: string | null, services: string[], messages: Message[], lock: Lock): string {
  const imports = importsOf(group, messages).map((file) => `import "${file}";`)
  const head = [`// ${header}`, '', 'syntax = "proto3";', '', 'package trident.v1;']
  const blocks = [...services, ...messages.map((message) => messageText(message, lock[message.name] ?? {}))]
  return `${[head.join('\n'), ...(imports.length === 0 ? [] : [imports.join('\n')]), ...blocks].join('\n\n')}\n`
}

function importsOf(group: string | null, messages: Message[]): string[] {
  const types = messages.flatMap(({ fields }) => fields.map(({ type }) => type))
  return [...new Set(types.flatMap((type) => importOf(group, type)))].sort()
}

function importOf(group: string | null, type: FieldType): string[] {
  if (type.kind === 'timestamp') return ['google/protobuf/timestamp.proto']
  if (type.kind === 'struct' || type.kind === 'value') return ['google/protobuf/struct.proto']
  return type.kind === 'message' && type.message.group !== group ? [fileOf(type.message.group)] : []
}

function serviceText({ name, group, methods }: Service): string {
  const rpcs = methods.map((method) => `${comment('  ', sentences(method))}  ${rpcText(method)}`)
  return `// The operations of the group ${group}.\nservice ${name} {\n${rpcs.join('\n')}\n}`
}

function rpcText({ name, request, response, stream, operation }: Method): string {
  const options = operation.deprecated === undefined ? ';' : ' {\n    option deprecated = true;\n  }'
  return `rpc ${name}(${request.name}) returns (${stream ? 'stream ' : ''}${response.name})${options}`
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

function messageText(message: Message, locked: Record<string, LockedField>): string {
  const { numbers, names } = reservedOf(locked)
  const reserved = [
    ...(numbers.length === 0 ? [] : [`  reserved ${numbers.join(', ')};`]),
    ...(names.length === 0 ? [] : [`  reserved ${names.map((name) => `"${name}"`).join(', ')};`]),
  ]
  const numbered = message.fields.map((field) => ({ field, number: numberOf(message, field, locked) }))
  const fields = numbered
    .sort((a, b) => a.number - b.number)
    .map(({ field, number }) => fieldText(message, field, number))
  const head = comment('', message.description === undefined ? [] : [sentence(message.description)])
  const body = [...reserved, ...fields]
  return body.length === 0
    ? `${head}message ${message.name} {}`
    : `${head}message ${message.name} {\n${body.join('\n')}\n}`
}

function numberOf(message: Message, field: Field, locked: Record<string, LockedField>): number {
  const given = locked[field.name]
  if (given === undefined || given.removed) throw new Error(`${message.name}.${field.name} has no number in the lock`)
  return given.number
}

/** Every scalar in an input is `optional`: an absent field must not be read as an empty one. */
function fieldText(message: Message, field: Field, number: number): string {
  const isList = field.list !== 'none'
  const explicit = field.presence !== 'required' || (message.sent && field.type.kind === 'scalar')
  const label = explicit && !isList && field.type.kind !== 'map' && !field.choice ? 'optional ' : ''
  const needed = message.sent && field.presence === 'required' && !isList ? ['Required.'] : []
  const says = [...(field.description === undefined ? [] : [sentence(field.description)]), ...field.notes, ...needed]
  return `${comment('  ', says)}  ${label}${typeText(field.type, isList)} ${field.name} = ${number}${field.deprecated ? ' [deprecated = true]' : ''};`
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

import type { EnumType, FieldType, Message } from './message.ts'
import { enumValueName } from './names.ts'

/** A number that was given to a field of a type. It is never given to another one. */
export type Given = { number: number; type: string }

/** The current number of a field; `retired` are those that it had with other types; `removed` where the field was removed. */
export type LockedField = Given & { removed?: true; retired?: Given[] }

/** Numbers by message and field. Entries are never removed. */
export type Lock = Record<string, Record<string, LockedField>>

const largest = 536_870_911
/** Numbers that protobuf reserves for its implementations. */
const reservedRange = { first: 19_000, last: 19_999 }

/**
 * The lock extended by the fields of the messages and the values of their enums. Existing numbers do not change. A field that returns with an earlier type
 * has its earlier number again, and no number is given to another name or type.
 */
export function growLock(before: Lock, messages: readonly Message[]): Lock {
  checkLock(before)
  const types = messages.flatMap(({ fields }) => fields.map(({ type }) => type))
  const enums = types.flatMap((type) => (type.kind === 'enum' ? [type.set] : []))
  const present = new Map([...messages, ...enums].map((owner) => [owner.name, partsOf(owner)]))
  const names = [...new Set([...Object.keys(before), ...present.keys()])].sort()
  return Object.fromEntries(names.map((name) => [name, growParts(before[name] ?? {}, present.get(name))]))
}

/** What a message must reserve: the numbers of removed and retyped fields, and the names of removed ones. */
export function reservedOf(fields: Record<string, LockedField>): { numbers: number[]; names: string[] } {
  const numbers = Object.values(fields).flatMap(({ number, removed, retired = [] }) => [
    ...(removed ? [number] : []),
    ...retired.map((given) => given.number),
  ])
  const names = Object.entries(fields).flatMap(([name, { removed }]) => (removed ? [name] : []))
  return { numbers: numbers.sort((a, b) => a - b), names: names.sort() }
}

/** The type of a field as text for the .proto and the lock. */
export function typeText(type: FieldType, isList: boolean): string {
  return isList ? `repeated ${singleText(type)}` : singleText(type)
}

function singleText(type: FieldType): string {
  if (type.kind === 'scalar') return type.name
  if (type.kind === 'message') return type.message.name
  if (type.kind === 'enum') return type.set.name
  if (type.kind === 'map') return `map<string, ${type.value}>`
  return { timestamp: 'google.protobuf.Timestamp', struct: 'google.protobuf.Struct', value: 'google.protobuf.Value' }[
    type.kind
  ]
}

/** The type of each part that has a number, by its name. */
type Parts = ReadonlyMap<string, string>

function partsOf(owner: Message | EnumType): Parts {
  if ('texts' in owner) return new Map(owner.texts.map((text) => [enumValueName(owner.name, text), 'enum value']))
  return new Map(owner.fields.map(({ name, type, list }) => [name, typeText(type, list !== 'none')]))
}

function growParts(before: Record<string, LockedField>, wanted: Parts = new Map()): Record<string, LockedField> {
  let last = Math.max(0, ...numbersOf(before))
  const next = () => {
    last = last + 1 === reservedRange.first ? reservedRange.last + 1 : last + 1
    return last
  }
  const kept = Object.entries(before).map(([name, field]): [string, LockedField] => {
    const type = wanted.get(name)
    if (type === undefined) return [name, { ...field, removed: true }]
    const known = [...(field.retired ?? []), { number: field.number, type: field.type }]
    const given = known.findLast((one) => one.type === type) ?? { number: next(), type }
    const retired = known.filter((one) => one !== given)
    return [name, { ...given, ...(retired.length > 0 && { retired }) }]
  })
  const added = [...wanted].flatMap(([name, type]): [string, LockedField][] =>
    Object.hasOwn(before, name) ? [] : [[name, { number: next(), type }]],
  )
  return Object.fromEntries([...kept, ...added])
}

function numbersOf(fields: Record<string, LockedField>): number[] {
  return Object.values(fields).flatMap(({ number, retired = [] }) => [number, ...retired.map((given) => given.number)])
}

/** Refuses a lock that a merge of two branches has corrupted: a number must not have two meanings. */
function checkLock(lock: Lock): void {
  for (const [message, fields] of Object.entries(lock)) {
    const seen = new Set<number>()
    for (const number of numbersOf(fields)) {
      const inRange = number >= 1 && number <= largest && (number < reservedRange.first || number > reservedRange.last)
      if (!Number.isInteger(number) || !inRange)
        throw new Error(`field-numbers.lock.json: ${message} has the invalid number ${number}`)
      if (seen.has(number)) throw new Error(`field-numbers.lock.json: ${message} has number ${number} twice`)
      seen.add(number)
    }
  }
}

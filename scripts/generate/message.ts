export type Scalar = 'string' | 'bool' | 'int32' | 'int64' | 'double'

/** What a reader finds where a scalar is absent. */
export const zeros: Readonly<Record<Scalar, unknown>> = { string: '', bool: false, int32: 0, int64: 0, double: 0 }

/** A closed set of texts. Fields may take a part of it. */
export type EnumType = {
  name: string
  /** The group whose file has it; null for one that several files use. */
  group: string | null
  texts: string[]
}

export type FieldType =
  | { kind: 'scalar'; name: Scalar }
  | { kind: 'enum'; set: EnumType }
  | { kind: 'message'; message: Message }
  | { kind: 'timestamp' | 'struct' | 'value' }
  | { kind: 'map'; value: Scalar }

export type Field = {
  /** Name in the contract, and so in JSON. */
  json: string
  /** Name in protobuf. */
  name: string
  type: FieldType
  /** The kind of list; `none` is a single value. All but `plain` have another form in the contract. */
  list: 'none' | 'plain' | 'oneOrMany' | 'topics' | 'rows'
  /** The contract has one of two lists, protobuf a message with a oneof of both. */
  choice: boolean
  /** The oneof that the field is one of. */
  oneof?: string
  presence: 'required' | 'optional' | 'nullable'
  /** What the zero of a scalar is to the contract: refused, a value as any other, or the default, which an absent field has. */
  zero?: 'refused' | 'taken' | 'default'
  /** Of an enum, the texts that the field takes: all, or a part. */
  texts?: readonly string[]
  description: string | undefined
  /** True where the removal of the field is announced. */
  deprecated: boolean
  /** Facts for readers of the .proto: the texts of a closed set, a default. */
  notes: string[]
}

export type Message = {
  name: string
  /** The group whose file has it; null for shared messages. */
  group: string | null
  fields: Field[]
  description: string | undefined
  /** TypeScript type of the contract's value, in terms of the other messages' aliases; null where it has none. */
  source: string | null
  /** True where a caller sends it, so that an absent scalar must differ from an empty one. */
  sent: boolean
  /** How a response wraps an output that is not an object, as the one field of its message. */
  wraps: 'nothing' | 'list' | 'value' | 'nullable'
}

/**
 * True where protobuf must tell an absent field from one that is zero: where an absent one means something else. In an input
 * it does so also where zero is refused, as a limit of nothing is. An output never has the zero that its schema refuses.
 * Messages differ from absent ones anyway, and the zero of an enum means nothing else.
 */
export function tellsZero({ sent }: Message, { type, list, oneof, presence, zero }: Field): boolean {
  if (type.kind !== 'scalar' || list !== 'none' || oneof !== undefined || zero === 'default') return false
  if (presence === 'required') return sent && zero === 'taken'
  return sent || zero === 'taken'
}

/** True where the zero of a scalar stands for an absent field. */
export function isZeroAbsent(message: Message, field: Field): boolean {
  const { type, list, oneof, presence } = field
  const isSingle = type.kind === 'scalar' && list === 'none' && oneof === undefined
  return isSingle && (message.sent || presence !== 'required') && !tellsZero(message, field)
}

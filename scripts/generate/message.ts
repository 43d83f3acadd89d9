export type Scalar = 'string' | 'bool' | 'int32' | 'int64' | 'double'

export type FieldType =
  | { kind: 'scalar'; name: Scalar }
  | { kind: 'message'; message: Message }
  | { kind: 'timestamp' | 'struct' | 'value' }
  | { kind: 'map'; value: Scalar }

export type Field = {
  /** Name in the contract, and so in JSON. */
  json: string
  /** Name in protobuf. */
  name: string
  type: FieldType
  /** How a list arises; `none` is a single value. Lists but `plain` have a form of their own in the contract. */
  list: 'none' | 'plain' | 'oneOrMany' | 'topics' | 'rows'
  /** The contract has one of two lists, protobuf a message with both. */
  choice: boolean
  presence: 'required' | 'optional' | 'nullable'
  description: string | undefined
  /** Its end is announced. */
  deprecated: boolean
  /** Facts for readers of the .proto: the texts of a closed set, a default. */
  notes: string[]
}

export type Message = {
  name: string
  /** The group whose file holds it; null for what groups share. */
  group: string | null
  fields: Field[]
  description: string | undefined
  /** TypeScript type of the contract's value, in terms of the other messages' aliases; null where it has none. */
  source: string | null
  /** True where a caller sends it, so that an absent scalar must differ from an empty one. */
  sent: boolean
  /** How a response holds an output that is no object: as the one field of its message. */
  wraps: 'nothing' | 'list' | 'value' | 'nullable'
}

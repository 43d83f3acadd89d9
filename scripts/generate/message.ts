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
  /** The kind of list; `none` is a single value. All but `plain` have another form in the contract. */
  list: 'none' | 'plain' | 'oneOrMany' | 'topics' | 'rows'
  /** The contract has one of two lists, protobuf a message with both. */
  choice: boolean
  presence: 'required' | 'optional' | 'nullable'
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

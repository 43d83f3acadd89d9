import type { Operation } from '../../src/contract/operation.ts'
import { createMessages } from './messages.ts'
import { pascalCase } from './names.ts'

/** The contract as it is declared: groups of operations. */
export type Groups = Record<string, Record<string, Operation>>

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

export type Method = {
  id: string
  group: string
  /** Name of the rpc. */
  name: string
  stream: boolean
  operation: Operation
  request: Message
  response: Message
}

export type Service = { group: string; name: string; methods: Method[] }

/** What every generator reads: services, and messages in the order in which the contract first names them. */
export type Model = { services: Service[]; messages: Message[] }

/** Walks the contract once. Refuses what a protocol could not say, naming operation and field. */
export function buildModel(contract: Groups): Model {
  const messages = createMessages()
  const names = methodNames(contract)
  const services = Object.entries(contract).map(([group, members]) => ({
    group,
    name: serviceName(group),
    methods: Object.entries(members).map(([key, operation]): Method => {
      const id = `${group}.${key}`
      const base = names.get(id) ?? pascalCase(key)
      return {
        id,
        group,
        name: pascalCase(key),
        stream: operation.kind === 'stream',
        operation,
        request: messages.request(`${base}Request`, group, id, operation.input),
        response: messages.response(`${base}Response`, group, id, operation.output),
      }
    }),
  }))
  for (const service of services) for (const method of service.methods) markSent(method.request)
  return { services, messages: messages.all() }
}

/** tRPC's kind of a procedure: a GET is a query, whose input fits a URL; anything else is sent by POST. */
export function procedureKind({ kind, http }: Operation): 'query' | 'mutation' | 'subscription' | 'streamingMutation' {
  if (kind === 'stream') return http?.method === 'POST' ? 'streamingMutation' : 'subscription'
  return http?.method === 'GET' ? 'query' : 'mutation'
}

function serviceName(group: string): string {
  return `${pascalCase(group)}Service`
}

/** What requests and responses are named after: the method, led by its service where an earlier service has the name. */
function methodNames(contract: Groups): Map<string, string> {
  const taken = new Set<string>()
  const names = new Map<string, string>()
  for (const [group, members] of Object.entries(contract)) {
    for (const key of Object.keys(members)) {
      const plain = pascalCase(key)
      names.set(`${group}.${key}`, taken.has(plain) ? serviceName(group) + plain : plain)
      taken.add(plain)
    }
  }
  return names
}

function markSent(message: Message): void {
  if (message.sent) return
  message.sent = true
  for (const { type } of message.fields) if (type.kind === 'message') markSent(type.message)
}

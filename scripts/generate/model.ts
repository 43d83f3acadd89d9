import type { Operation } from '../../src/contract/shared/operation.ts'
import { checkDeprecation } from './deprecations.ts'
import type { EnumType, Message } from './message.ts'
import { growNames, type MessageNames } from './message-names.ts'
import { createMessages } from './messages.ts'
import { pascalCase, serviceName } from './names.ts'
import { defOf, metaOf, type Schema, unwrap } from './schema.ts'

/** A contract: groups of operations. */
export type Groups = Record<string, Record<string, Operation>>

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
export type Model = { services: Service[]; messages: Message[]; enums: EnumType[] }

/** Reads the contract. Refuses what a protocol cannot express, with the operation and field. */
export function buildModel(contract: Groups, names: MessageNames = growNames({}, contract)): Model {
  const ids = Object.entries(contract).flatMap(([group, members]) =>
    Object.keys(members).map((key) => `${group}.${key}`),
  )
  const messages = createMessages(ids, sharedIn(contract))
  const services = Object.entries(contract).map(([group, members]) => ({
    group,
    name: serviceName(group),
    methods: Object.entries(members).map(([key, operation]): Method => {
      const id = `${group}.${key}`
      const others = ids.filter((other) => other !== id)
      if (operation.deprecated !== undefined) checkDeprecation(id, operation.deprecated, others)
      const base = names[id] ?? pascalCase(key)
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
  return { services, messages: messages.all(), enums: messages.enums() }
}

/** Objects with an id that stand in more than one place of a contract. */
function sharedIn(contract: Groups): ReadonlySet<Schema> {
  const seen = new Set<Schema>()
  const shared = new Set<Schema>()
  const visit = (schema: Schema): void => {
    const { inner } = unwrap(schema)
    const def = defOf(inner)
    if (def.type === 'object' && metaOf(inner).id !== undefined) {
      if (seen.has(inner)) return void shared.add(inner)
      seen.add(inner)
    }
    if (def.type === 'object') for (const part of Object.values(def.shape)) visit(part)
    if (def.type === 'array') visit(def.element)
    if (def.type === 'union') for (const option of def.options) visit(option)
  }
  for (const members of Object.values(contract))
    for (const { input, output } of Object.values(members)) for (const schema of [input, output]) visit(schema)
  return shared
}

/** tRPC's kind of a procedure: a GET or a read-only operation is a query; all others are sent by POST only. */
export function procedureKind({
  kind,
  http,
  readOnly,
}: Operation): 'query' | 'mutation' | 'subscription' | 'streamingMutation' {
  if (kind === 'stream') return http?.method === 'POST' ? 'streamingMutation' : 'subscription'
  return http?.method === 'GET' || readOnly === true ? 'query' : 'mutation'
}

function markSent(message: Message): void {
  if (message.sent) return
  message.sent = true
  for (const { type } of message.fields) if (type.kind === 'message') markSent(type.message)
}

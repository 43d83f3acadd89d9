import { auth } from './auth.ts'
import { chain } from './chain/chain.ts'
import { chat } from './chat.ts'
import { metrics } from './metrics.ts'
import { operator } from './operator.ts'
import { research } from './research.ts'
import type { Operation } from './shared/operation.ts'
import { system } from './system.ts'
import { tools } from './tools/tools.ts'
import { trading } from './trading/trading.ts'

/** Every operation of the gateway, by group. Protocols, documents and handlers are derived from it. */
export const contract = { auth, chat, research, trading, tools, metrics, chain, operator, system }

export type Contract = typeof contract
type Group = keyof Contract

/** `<group>.<key>`, such as `trading.quote`. */
export type OperationId = { [G in Group]: `${G}.${keyof Contract[G] & string}` }[Group]

/** The declaration of an operation id. */
export type OperationOf<Id extends OperationId> = Id extends `${infer G extends Group}.${infer Key}`
  ? Key extends keyof Contract[G]
    ? Contract[G][Key]
    : never
  : never

const flat: readonly (readonly [OperationId, Operation])[] = Object.entries(contract).flatMap(([group, members]) =>
  Object.entries<Operation>(members).map(
    ([key, declaration]) => [`${group}.${key}` as OperationId, declaration] as const,
  ),
)

const byId = new Map<string, Operation>(flat)

/** Every operation with its id, in the order of the contract. */
export function operations(): readonly (readonly [OperationId, Operation])[] {
  return flat
}

/** The declaration of an id, with its own types where the compiler knows the id. */
export function operationOf<Id extends OperationId>(id: Id): OperationOf<Id> {
  return byId.get(id) as OperationOf<Id>
}

/** True for the id of an operation; checks ids from outside. */
export function isOperationId(id: string): id is OperationId {
  return byId.has(id)
}

/** A text for callers over REST: an operation's id becomes its method and path, such as `GET /api/v1/auth/sessions`. */
export function inRestWords(text: string): string {
  return text.replaceAll(/\b[a-z]+\.[a-z][A-Za-z0-9]*\b/g, (id) => {
    const http = byId.get(id)?.http
    return http === undefined ? id : `${http.method} ${http.path}`
  })
}

/** The input field that names the event after which a stream resumes; null where the operation cannot resume. */
export function resumeFieldOf(operation: Operation): 'last_event_id' | 'after_id' | null {
  if (operation.kind !== 'stream') return null
  if ('last_event_id' in operation.input.shape) return 'last_event_id'
  return 'after_id' in operation.input.shape ? 'after_id' : null
}

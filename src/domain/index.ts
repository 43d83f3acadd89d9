import type { Contract } from '../contract/index.ts'
import { auth } from './auth/index.ts'
import { chat } from './chat/index.ts'
import type { AnyHandler, Handlers } from './core/handler.ts'
import { metrics } from './metrics/index.ts'
import { chain } from './node/index.ts'
import { operator } from './operator/index.ts'
import { research } from './research/index.ts'
import { tools } from './tools/index.ts'
import { trading } from './trading/index.ts'

/** The handler of every operation; one that is missing or has the wrong shape does not compile. */
const handlers: { [Group in keyof Contract]: Handlers<Contract[Group]> } = {
  auth,
  chat,
  research,
  trading,
  tools,
  metrics,
  chain,
  operator,
}

/** The handlers by operation id, as the gateway looks them up. */
export function handlersById(): ReadonlyMap<string, AnyHandler> {
  const flat = Object.entries(handlers).flatMap(([group, members]) =>
    Object.entries(members).map(([key, handler]) => [`${group}.${key}`, handler as AnyHandler] as const),
  )
  return new Map(flat)
}

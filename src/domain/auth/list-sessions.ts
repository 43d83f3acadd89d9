import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { presentSession } from './sessions.ts'

/** The account's sessions, newest first. */
export const listSessions: Handler<typeof contract.auth.listSessions, 'sessions' | 'tokens'> = async (
  ports,
  _input,
  call,
) => {
  const sessions = await ports.sessions.list(call.principal.userId)
  return sessions.map((session) => presentSession(ports, call.principal, session))
}

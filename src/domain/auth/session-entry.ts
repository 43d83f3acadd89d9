import type { Principal } from '../core/handler.ts'
import type { Session } from '../ports/accounts.ts'
import type { Ports } from '../ports/index.ts'
import { tokenAnswer } from './token-answer.ts'

/** A session as callers see it. With a user token it has a new token, so that the client can continue the session. */
export function sessionEntry(ports: Pick<Ports, 'tokens'>, caller: Principal, session: Session) {
  const entry = { session_id: session.id, name: session.name, created_at: session.createdAt.toISOString() }
  if (caller.sessionId !== null) return entry
  return { ...entry, token: tokenAnswer(ports.tokens.issueSession(session.userId, session.id)) }
}

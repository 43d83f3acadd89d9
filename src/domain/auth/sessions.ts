import type { Fail } from '../core/errors.ts'
import type { Principal } from '../core/handler.ts'
import type { Session } from '../ports/accounts.ts'
import type { Ports } from '../ports/index.ts'
import { presentToken } from './present-token.ts'

/**
 * The session, where the caller may change it: with a user token any session of the account, with a session token only
 * that session. Otherwise NOT_FOUND, so that no caller learns which sessions exist.
 */
export async function ownSession(
  ports: Pick<Ports, 'sessions'>,
  caller: Principal,
  sessionId: string,
  fail: Fail<'NOT_FOUND'>,
): Promise<Session> {
  const session =
    caller.sessionId === null || caller.sessionId === sessionId ? await ports.sessions.find(sessionId) : null
  if (session === null || session.userId !== caller.userId) throw fail('NOT_FOUND', noSuchSession)
  return session
}

/** The message for a session that does not exist or is not the caller's. */
export const noSuchSession = 'You have no session with this id. Call auth.listSessions for the ids of your sessions.'

/** A session as callers see it. With a user token it has a new token, so that the client can continue the session. */
export function presentSession(ports: Pick<Ports, 'tokens'>, caller: Principal, session: Session) {
  const entry = { session_id: session.id, name: session.name, created_at: session.createdAt.toISOString() }
  if (caller.sessionId !== null) return entry
  return { ...entry, token: presentToken(ports.tokens.issueSession(session.userId, session.id)) }
}

import type { Fail } from '../core/errors.ts'
import type { Principal, TokenHolder } from '../core/handler.ts'
import type { Session } from '../ports/accounts.ts'
import type { Ports } from '../ports/index.ts'
import { presentToken } from './present-token.ts'

/**
 * The session, where the caller may change it: with a user token any session of the account, with a session token only
 * its own; PERMISSION_DENIED for another of the account. NOT_FOUND for sessions of other accounts, as for unknown ones.
 */
export async function ownSession(
  ports: Pick<Ports, 'sessions'>,
  caller: Principal,
  sessionId: string,
  fail: Fail<'NOT_FOUND' | 'PERMISSION_DENIED'>,
): Promise<Session> {
  const session = await ports.sessions.find(sessionId)
  if (session === null || session.userId !== caller.userId) throw fail('NOT_FOUND', noSuchSession)
  if (caller.sessionId !== null && caller.sessionId !== sessionId) throw fail('PERMISSION_DENIED', siblingSession)
  return session
}

/** The message for a session that does not exist or is not the caller's. */
export const noSuchSession = 'You have no session with this id. Call auth.listSessions for the ids of your sessions.'

const siblingSession =
  'The token of a session changes that session only. Use a user token from auth.login for the other sessions.'

/** A session as callers see it. With a user token it has a new token, so that the client can continue the session. */
export function presentSession(ports: Pick<Ports, 'tokens'>, caller: TokenHolder, session: Session) {
  const entry = { session_id: session.id, name: session.name, created_at: session.createdAt.toISOString() }
  if (caller.sessionId !== null) return entry
  return {
    ...entry,
    token: presentToken(ports.tokens.issueSession({ id: session.userId, generation: caller.generation }, session.id)),
  }
}

import type { Fail } from '../core/errors.ts'
import type { Principal } from '../core/handler.ts'
import type { Session } from '../ports/accounts.ts'
import type { Ports } from '../ports/index.ts'

/**
 * The session, where the caller may change it: with a user token any session of the account, with a session token its
 * own. Otherwise NOT_FOUND, so that no caller learns which sessions exist.
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

/** The message for a session that the caller does not have, or no longer has. */
export const noSuchSession = 'You have no session with this id. Call auth.listSessions for the ids of your sessions.'

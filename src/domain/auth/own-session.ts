import { DomainError } from '../core/errors.ts'
import type { Principal } from '../core/handler.ts'
import type { Session } from '../ports/accounts.ts'
import type { Ports } from '../ports/index.ts'

/**
 * The session, where the caller may change it: a user token any of the account's, a session token its own alone.
 * Everything else is NOT_FOUND, so that nobody learns which sessions exist.
 */
export async function ownSession(
  ports: Pick<Ports, 'sessions'>,
  caller: Principal,
  sessionId: string,
): Promise<Session> {
  const session =
    caller.sessionId === null || caller.sessionId === sessionId ? await ports.sessions.find(sessionId) : null
  if (session === null || session.userId !== caller.userId) throw noSuchSession()
  return session
}

/** Says that there is no such session, and where to see the ones there are. */
export function noSuchSession(): DomainError {
  return new DomainError('NOT_FOUND', 'You have no such session; list yours for their ids.')
}

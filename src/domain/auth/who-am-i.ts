import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { presentGrant } from './sessions.ts'

/** What the caller's token stands for. UNAUTHENTICATED where its account or session was deleted meanwhile. */
export const whoAmI: Handler<typeof contract.auth.whoAmI, 'accounts' | 'sessions'> = async (ports, _input, call) => {
  const { userId, sessionId, token } = call.principal
  const [account, session] = await Promise.all([
    ports.accounts.find(userId),
    sessionId === null ? null : ports.sessions.find(sessionId),
  ])
  // Both existed when the token was checked.
  if (account === null || (sessionId !== null && session === null))
    throw call.fail('UNAUTHENTICATED', 'The account or the session of this token was deleted. Log in again.')
  return {
    kind: session === null ? 'user' : 'session',
    expires_at: token.expiresAt.toISOString(),
    account: { email: account.email, created_at: account.createdAt.toISOString() },
    session: session === null ? null : { session_id: session.id, name: session.name, ...presentGrant(session.grant) },
  }
}

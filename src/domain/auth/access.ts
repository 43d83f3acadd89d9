import type { Auth } from '../../contract/operation.ts'
import { DomainError } from '../errors.ts'
import type { Principal } from '../handler.ts'
import type { Ports } from '../ports.ts'

const advice = {
  user: 'a user token, which login and register give',
  session: 'a session token, which creating a session with your user token gives',
  any: 'a token, which login and register give',
} as const

/**
 * Who the bearer token stands for, or null where the call needs nobody. Throws UNAUTHENTICATED for a token that is
 * missing, not ours, expired, of the wrong kind, or of a deleted session. Operator calls are decided elsewhere.
 */
export async function authenticate(
  ports: Pick<Ports, 'tokens' | 'sessions'>,
  token: string | null,
  auth: Auth,
): Promise<Principal | null> {
  if (auth === 'none' || auth === 'operator') return null
  if (token === null || token === '') throw refusal(`This call needs ${advice[auth]}.`)
  const claims = ports.tokens.verify(token)
  if (claims === null) throw refusal(`The token is not valid or has expired; get ${advice[auth]}.`)
  if (auth !== 'any' && claims.kind !== auth) throw refusal(`This call needs ${advice[auth]}.`)
  if (claims.kind === 'session' && !(await ports.sessions.isLive(claims.sessionId))) {
    throw refusal(`The session of this token was deleted; get ${advice.session}.`)
  }
  return { userId: claims.userId, sessionId: claims.sessionId }
}

function refusal(message: string): DomainError {
  return new DomainError('UNAUTHENTICATED', message)
}

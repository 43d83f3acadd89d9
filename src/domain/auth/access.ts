import type { Auth } from '../../contract/shared/operation.ts'
import { DomainError } from '../core/errors.ts'
import type { Principal } from '../core/handler.ts'
import type { TokenClaims } from '../ports/accounts.ts'
import type { Ports } from '../ports/index.ts'

const advice = {
  user: 'a user token, which auth.login and auth.register give',
  session: 'a session token, which auth.createSession gives for your user token',
  any: 'a token, which auth.login and auth.register give',
} as const

/**
 * Who the bearer token stands for, or null where the call needs nobody. Throws UNAUTHENTICATED for a token that is
 * missing, not ours, expired, of the wrong kind, or of a deleted session. Operator calls are decided elsewhere.
 */
export async function authenticate(
  ports: Pick<Ports, 'accounts' | 'sessions' | 'tokens'>,
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
  if (claims.kind === 'user' && !(await hasAccount(ports, claims))) {
    throw refusal(`The account of this token is gone; get ${advice.user}.`)
  }
  return { userId: claims.userId, sessionId: claims.sessionId }
}

/** Account ids are small numbers: with another database behind the same keys one may belong to somebody else by now. */
async function hasAccount({ accounts }: Pick<Ports, 'accounts'>, claims: TokenClaims): Promise<boolean> {
  const account = await accounts.find(claims.userId)
  // Tokens count whole seconds.
  return account !== null && Math.floor(account.createdAt.getTime() / 1_000) * 1_000 <= claims.issuedAt.getTime()
}

function refusal(message: string): DomainError {
  return new DomainError('UNAUTHENTICATED', message)
}

import type { Auth } from '../contract/shared/operation.ts'
import { DomainError } from '../domain/core/errors.ts'
import type { TokenHolder } from '../domain/core/handler.ts'
import type { TokenClaims } from '../domain/ports/accounts.ts'
import type { Ports } from '../domain/ports/index.ts'
import type { Caller } from './request.ts'

const advice = {
  user: 'a user token from auth.login or auth.register',
  session: 'a session token from auth.createSession',
  any: 'a token from auth.login or auth.register',
} as const

type Bearer = Pick<Caller, 'token' | 'isUnread'>

/** The beginning of a refusal, for a caller whose authorization header has no token that can be read. */
export function prefixAdvice({ isUnread }: Bearer): string {
  return isUnread ? 'The authorization header lacks the word Bearer, a space and one token. ' : ''
}

/**
 * The principal of a bearer token, or null where the operation needs none. UNAUTHENTICATED for a token that is missing,
 * invalid, expired, of the wrong kind, or of a deleted session or account. Operator tokens are checked in `admit`.
 */
export async function authenticate(
  ports: Pick<Ports, 'accounts' | 'sessions' | 'tokens'>,
  caller: Bearer,
  auth: Auth,
): Promise<TokenHolder | null> {
  if (auth === 'none' || auth === 'operator') return null
  const { token } = caller
  if (token === null) throw refusal(`${prefixAdvice(caller)}This operation needs ${advice[auth]}.`)
  const claims = ports.tokens.verify(token)
  if (claims === 'expired') throw refusal(`The token has expired. Get ${advice[auth]}.`)
  if (claims === 'invalid') throw refusal(`The token is not one of this gateway. Get ${advice[auth]}.`)
  if (auth !== 'any' && claims.kind !== auth)
    throw refusal(`The token is a ${claims.kind} token. This operation needs ${advice[auth]}.`)
  const { generation, grant } = await (claims.kind === 'session'
    ? factsOfSession(ports, claims)
    : factsOfUser(ports, claims))
  if (generation !== claims.generation)
    throw refusal(
      'All tokens of the account were ended: by a new password, a logout everywhere, or its deletion. Log in by auth.login.',
    )
  const { id, userId, sessionId, expiresAt } = claims
  return { userId, sessionId, grant, generation, token: { id, expiresAt } }
}

type SessionClaims = TokenClaims & { kind: 'session' }

async function factsOfSession({ sessions }: Pick<Ports, 'sessions'>, { id, sessionId }: SessionClaims) {
  const session = await sessions.check(sessionId, id)
  if (session === null) throw refusal(`The session of this token was deleted. Get ${advice.session}.`)
  if (session.revoked)
    throw refusal('This token was logged out. auth.listSessions, with a user token, gives the session a new one.')
  return session
}

/** Account ids are small numbers: with another database and the same keys, the id may be another user's. */
async function factsOfUser({ accounts }: Pick<Ports, 'accounts'>, { id, userId, issuedAt }: TokenClaims) {
  const account = await accounts.find(userId)
  // Tokens state their time in whole seconds.
  if (account === null || Math.floor(account.createdAt.getTime() / 1_000) * 1_000 > issuedAt.getTime())
    throw refusal(`The account of this token does not exist. Get ${advice.user}.`)
  if (await accounts.isRevoked(id)) throw refusal(`This token was logged out. Get ${advice.user}.`)
  return { generation: account.generation, grant: null }
}

function refusal(message: string): DomainError {
  return new DomainError('UNAUTHENTICATED', message)
}

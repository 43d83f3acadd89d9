import { DomainError } from '../domain/core/errors.ts'
import type { TokenHolder } from '../domain/core/handler.ts'
import type { Ports } from '../domain/ports/index.ts'

/** The end of a caller's session, for its open streams. */
export type SessionEnd = {
  /** Aborts with the session, or with the caller. */
  signal: AbortSignal
  /** UNAUTHENTICATED where the session or its token has ended, with the reason; else null. */
  refusal(): DomainError | null
  release(): void
}

const newTokens = 'After auth.login, auth.listSessions gives your sessions new tokens.'

const reasons = {
  tokensEnded: `All tokens of the account were ended: by a new password, a logout everywhere, or its deletion. ${newTokens}`,
  loggedOut: `The token of this stream was logged out. ${newTokens}`,
  deleted: 'The session of this stream was deleted.',
} as const

/** Listens for the end of a caller's session or tokens, by this process or another one. A caller without a token has none. */
export function sessionEnd(
  { accounts, sessions }: Pick<Ports, 'accounts' | 'sessions'>,
  principal: TokenHolder | null,
  caller: AbortSignal,
): SessionEnd {
  const ending = new AbortController()
  let reason: string | null = null
  const onLeft = () => ending.abort(caller.reason)
  if (caller.aborted) onLeft()
  caller.addEventListener('abort', onLeft)
  const onOver = (why: string) => () => {
    reason ??= why
    ending.abort()
  }
  const unlisten =
    principal === null
      ? []
      : [
          accounts.onTokensEnded(principal.userId, principal.generation, onOver(reasons.tokensEnded)),
          accounts.onRevoked(principal.token.id, onOver(reasons.loggedOut)),
          ...(principal.sessionId === null ? [] : [sessions.onDeleted(principal.sessionId, onOver(reasons.deleted))]),
        ]
  return {
    signal: ending.signal,
    refusal: () => (reason === null ? null : new DomainError('UNAUTHENTICATED', reason)),
    release() {
      caller.removeEventListener('abort', onLeft)
      for (const each of unlisten) each()
    },
  }
}

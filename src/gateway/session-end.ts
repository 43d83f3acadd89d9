import { DomainError } from '../domain/core/errors.ts'
import type { TokenHolder } from '../domain/core/handler.ts'
import type { Ports } from '../domain/ports/index.ts'

/** The end of a caller's session, for its open streams. */
export type SessionEnd = {
  /** Aborts with the session, or with the caller. */
  signal: AbortSignal
  /** UNAUTHENTICATED where the session has ended, else null. */
  refusal(): DomainError | null
  release(): void
}

/** Listens for the end of a caller's session or tokens, by this process or another one. A caller without a token has none. */
export function sessionEnd(
  { accounts, sessions }: Pick<Ports, 'accounts' | 'sessions'>,
  principal: TokenHolder | null,
  caller: AbortSignal,
): SessionEnd {
  const ending = new AbortController()
  let isOver = false
  const onLeft = () => ending.abort(caller.reason)
  if (caller.aborted) onLeft()
  caller.addEventListener('abort', onLeft)
  const onOver = () => {
    isOver = true
    ending.abort()
  }
  const unlisten =
    principal === null
      ? []
      : [
          accounts.onTokensEnded(principal.userId, principal.generation, onOver),
          accounts.onRevoked(principal.token.id, onOver),
          ...(principal.sessionId === null ? [] : [sessions.onDeleted(principal.sessionId, onOver)]),
        ]
  return {
    signal: ending.signal,
    refusal: () =>
      isOver
        ? new DomainError('UNAUTHENTICATED', 'The session of this stream has ended. Log in again to open it.')
        : null,
    release() {
      caller.removeEventListener('abort', onLeft)
      for (const each of unlisten) each()
    },
  }
}

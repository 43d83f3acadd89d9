import { DomainError } from '../domain/core/errors.ts'
import type { Principal } from '../domain/core/handler.ts'
import type { Ports } from '../domain/ports/index.ts'

/** The end of a caller's session, for its open streams. */
export type SessionEnd = {
  /** Aborts with the session, or with the caller. */
  signal: AbortSignal
  /** UNAUTHENTICATED where the session has ended, else null. */
  refusal(): DomainError | null
  release(): void
}

/** Listens for the end of a caller's session, in this process or another one. A caller without a session has none. */
export function sessionEnd(
  { sessions }: Pick<Ports, 'sessions'>,
  principal: Principal | null,
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
  const unlisten = principal?.sessionId == null ? () => undefined : sessions.onDeleted(principal.sessionId, onOver)
  return {
    signal: ending.signal,
    refusal: () => (isOver ? new DomainError('UNAUTHENTICATED', 'The session of this stream was deleted.') : null),
    release() {
      caller.removeEventListener('abort', onLeft)
      unlisten()
    },
  }
}

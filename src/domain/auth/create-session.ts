import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import type { Handler } from '../core/handler.ts'
import { presentToken } from './present-token.ts'

type Needs = 'clock' | 'ids' | 'sessions' | 'tokens'

/** Starts a session without a name and issues its token. */
export const createSession: Handler<typeof contract.auth.createSession, Needs> = async (ports, _input, call) => {
  const { userId, generation } = call.principal
  const draft = { id: ports.ids.uuid(), userId, name: '', createdAt: ports.clock.now() }
  const session = await ports.sessions.create(draft, bounds.liveSessions)
  if (session === null) {
    const limit = bounds.liveSessions
    throw call.fail(
      'FAILED_PRECONDITION',
      `An account has at most ${limit} sessions. Delete one that you no longer use.`,
    )
  }
  return {
    session_id: session.id,
    name: session.name,
    created_at: session.createdAt.toISOString(),
    token: presentToken(ports.tokens.issueSession({ id: userId, generation }, session.id)),
  }
}

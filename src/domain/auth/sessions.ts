import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import type { Fail } from '../core/errors.ts'
import type { Handler, Principal, TokenHolder } from '../core/handler.ts'
import type { Session } from '../ports/accounts.ts'
import type { Ports } from '../ports/index.ts'
import { presentToken } from './tokens.ts'

/**
 * The session, where the caller may change it: with a user token any session of the account, with a session token only
 * its own; PERMISSION_DENIED for another of the account. NOT_FOUND for sessions of other accounts, as for unknown ones.
 */
async function ownSession(
  ports: Pick<Ports, 'sessions'>,
  caller: Principal,
  sessionId: string,
  fail: Fail<'NOT_FOUND' | 'PERMISSION_DENIED'>,
): Promise<Session> {
  const session = await ports.sessions.find(sessionId)
  if (session === null || session.userId !== caller.userId) throw fail('NOT_FOUND', noSuchSession)
  if (caller.sessionId !== null && caller.sessionId !== sessionId) throw fail('PERMISSION_DENIED', siblingSession)
  return session
}

/** The message for a session that does not exist or is not the caller's. */
const noSuchSession = 'You have no session with this id. Call auth.listSessions for the ids of your sessions.'

const siblingSession =
  'The token of a session changes that session only. Use a user token from auth.login for the other sessions.'

/** A session as callers see it. With a user token it has a new token, so that the client can continue the session. */
function presentSession(ports: Pick<Ports, 'tokens'>, caller: TokenHolder, session: Session) {
  const entry = { session_id: session.id, name: session.name, created_at: session.createdAt.toISOString() }
  if (caller.sessionId !== null) return entry
  return {
    ...entry,
    token: presentToken(ports.tokens.issueSession({ id: session.userId, generation: caller.generation }, session.id)),
  }
}

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

/** The account's sessions, newest first. */
export const listSessions: Handler<typeof contract.auth.listSessions, 'sessions' | 'tokens'> = async (
  ports,
  _input,
  call,
) => {
  const sessions = await ports.sessions.list(call.principal.userId)
  return sessions.map((session) => presentSession(ports, call.principal, session))
}

/** Gives a session of the caller another name. */
export const renameSession: Handler<typeof contract.auth.renameSession, 'sessions' | 'tokens'> = async (
  ports,
  input,
  call,
) => {
  const { id } = await ownSession(ports, call.principal, input.session_id, call.fail)
  const renamed = await ports.sessions.rename(id, input.name)
  if (renamed === null) throw call.fail('NOT_FOUND', noSuchSession)
  return presentSession(ports, call.principal, renamed)
}

/** Deletes a session of the caller; its token is refused from then on. */
export const deleteSession: Handler<typeof contract.auth.deleteSession, 'sessions'> = async (ports, input, call) => {
  const { id } = await ownSession(ports, call.principal, input.session_id, call.fail)
  if (!(await ports.sessions.delete(id))) throw call.fail('NOT_FOUND', noSuchSession)
  return {}
}

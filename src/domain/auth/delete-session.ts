import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { noSuchSession, ownSession } from './own-session.ts'

/** Deletes a session of the caller; its token is worthless from then on. */
export const deleteSession: Handler<typeof contract.auth.deleteSession, 'sessions'> = async (ports, input, call) => {
  const { id } = await ownSession(ports, call.principal, input.session_id)
  if (!(await ports.sessions.delete(id))) throw noSuchSession()
  return {}
}

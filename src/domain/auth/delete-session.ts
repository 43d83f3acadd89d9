import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { noSuchSession, ownSession } from './sessions.ts'

/** Deletes a session of the caller; its token is refused from then on. */
export const deleteSession: Handler<typeof contract.auth.deleteSession, 'sessions'> = async (ports, input, call) => {
  const { id } = await ownSession(ports, call.principal, input.session_id, call.fail)
  if (!(await ports.sessions.delete(id))) throw call.fail('NOT_FOUND', noSuchSession)
  return {}
}

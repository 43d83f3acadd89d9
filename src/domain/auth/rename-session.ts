import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { noSuchSession, ownSession, presentSession } from './sessions.ts'

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

import type { contract } from '../../contract/index.ts'
import type { Handler } from '../handler.ts'

/** Empties the session's history for good. */
export const clear: Handler<typeof contract.chat.clear, 'messages'> = async (ports, _input, call) => {
  await ports.messages.clear(call.principal.sessionId)
  return {}
}

import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'

/**
 * Deletes the session's history with its answers. An answer that is being written stores nothing any more, and a quote
 * that was shown can no longer be confirmed here.
 */
export const clear: Handler<typeof contract.chat.clear, 'messages'> = async (ports, _input, call) => {
  await ports.messages.clear(call.principal.sessionId)
  return {}
}

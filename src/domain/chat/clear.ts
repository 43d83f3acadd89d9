import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'

/**
 * Empties the session's history for good, with its answers: one that is being written leaves nothing behind, and a quote
 * that was shown cannot be confirmed any more.
 */
export const clear: Handler<typeof contract.chat.clear, 'messages'> = async (ports, _input, call) => {
  await ports.messages.clear(call.principal.sessionId)
  return {}
}

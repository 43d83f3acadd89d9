import type { contract } from '../../contract/index.ts'
import type { Handler } from '../handler.ts'

/** Empties the session's history for good; a quote that was shown in it cannot be confirmed any more. */
export const clear: Handler<typeof contract.chat.clear, 'messages' | 'offers'> = async (ports, _input, call) => {
  await ports.offers.clear(call.principal.sessionId)
  await ports.messages.clear(call.principal.sessionId)
  return {}
}

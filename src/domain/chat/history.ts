import type { contract } from '../../contract/index.ts'
import type { Handler } from '../handler.ts'

/** The session's messages in order. */
export const history: Handler<typeof contract.chat.history, 'messages'> = async (ports, _input, call) => ({
  messages: await ports.messages.list(call.principal.sessionId),
})

import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { type ReplyPorts, startReply } from './reply.ts'

/** Returns the whole answer at once. */
export const send: Handler<typeof contract.chat.send, ReplyPorts> = async (ports, input, call) => {
  const { finished } = await startReply(ports, input, call)
  return { messages: [await finished], model: ports.assistant.model }
}

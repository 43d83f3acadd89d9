import type { contract } from '../../contract/index.ts'
import type { Handler } from '../handler.ts'
import { followReply } from './follow.ts'
import { type ReplyPorts, startReply } from './reply.ts'

/** Answers as it is written. A caller that leaves can come back with chat.resume. */
export const stream: Handler<typeof contract.chat.stream, ReplyPorts> = async (ports, input, call) => {
  const { streamId } = await startReply(ports, call.principal, input.messages)
  call.nameStream(streamId)
  return followReply(ports, streamId, 0, call.signal)
}

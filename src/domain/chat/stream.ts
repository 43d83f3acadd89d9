import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { followReply, parseCursor, resumeReply } from './follow.ts'
import { type ReplyPorts, startReply } from './reply.ts'

/** Returns the answer as it is written. A disconnected caller comes back with chat.resume, or here with its last event. */
export const stream: Handler<typeof contract.chat.stream, ReplyPorts> = async (ports, input, call) => {
  const { after_id: afterId, events = false } = input
  if (afterId) return await resumeReply(ports, { ...parseCursor(afterId), events }, call)
  const { streamId, finished } = await startReply(ports, input, call)
  call.nameStream(streamId)
  finished.catch(call.reportFailure) // its readers receive the failure from the stream, but there may be none
  return followReply(ports, { streamId, afterSeq: 0, events }, call.disconnected, call.fail)
}

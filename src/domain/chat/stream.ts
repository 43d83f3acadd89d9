import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { followReply } from './follow.ts'
import { type ReplyPorts, startReply } from './reply.ts'
import { placeOf, takeUp } from './take-up.ts'

/** Answers as it is written. A caller that leaves can come back with chat.resume, or here with its last event. */
export const stream: Handler<typeof contract.chat.stream, ReplyPorts> = async (ports, input, call) => {
  const { after_id: afterId, events = false } = input
  if (afterId) return await takeUp(ports, { ...placeOf(afterId), events }, call)
  const { streamId, finished } = await startReply(ports, call.principal, input, call.left)
  call.nameStream(streamId)
  finished.catch(call.reportFailure) // its readers learn of it from the stream, and there may be none
  return followReply(ports, { streamId, afterSeq: 0, events }, call.left)
}

import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { followReply, invalidCursor, parseCursor, resumeReply } from './follow.ts'
import { type ReplyPorts, startReply } from './reply.ts'

/** Returns the whole answer at once. */
export const send: Handler<typeof contract.chat.send, ReplyPorts> = async (ports, input, call) => {
  const { finished } = await startReply(ports, input, call)
  return { messages: [await finished], model: ports.assistant.model }
}

/** Returns the answer as it is written. A disconnected caller comes back with chat.resume, or here with its last event. */
export const stream: Handler<typeof contract.chat.stream, ReplyPorts> = async (ports, input, call) => {
  const { after_id: afterId, events = false } = input
  if (afterId) return await resumeReply(ports, { ...parseCursor(afterId), events }, call)
  const { streamId, finished } = await startReply(ports, input, call)
  call.nameStream(streamId)
  finished.catch(call.reportFailure) // its readers receive the failure from the stream, but there may be none
  return followReply(ports, { streamId, afterSeq: 0, events }, call.disconnected, call.fail)
}

/** Continues a stream of the caller's session after the last event that the caller has. */
export const resume: Handler<typeof contract.chat.resume, 'chatStreams'> = async (ports, input, call) => {
  const { stream_id: streamId, after_id: afterId, events = false } = input
  const cursor = afterId ? parseCursor(afterId) : { streamId, afterSeq: 0 }
  if (cursor.streamId !== streamId) throw invalidCursor()
  return await resumeReply(ports, { ...cursor, events }, call)
}

/** Stops an open answer; what was written so far stays in the history. Stopping an ended answer changes nothing. */
export const stop: Handler<typeof contract.chat.stop, 'chatStreams'> = async (ports, input, call) => {
  const found = await ports.chatStreams.find(input.stream_id)
  if (found === null || found.sessionId !== call.principal.sessionId)
    throw call.fail('NOT_FOUND', 'This session has no such stream.')
  await ports.chatStreams.requestStop(input.stream_id)
  return {}
}

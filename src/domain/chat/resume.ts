import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { invalidCursor, parseCursor, resumeReply } from './follow.ts'

/** Continues a stream of the caller's session after the last event that the caller has. */
export const resume: Handler<typeof contract.chat.resume, 'chatStreams'> = async (ports, input, call) => {
  const { stream_id: streamId, after_id: afterId, events = false } = input
  const cursor = afterId ? parseCursor(afterId) : { streamId, afterSeq: 0 }
  if (cursor.streamId !== streamId) throw invalidCursor()
  return await resumeReply(ports, { ...cursor, events }, call)
}

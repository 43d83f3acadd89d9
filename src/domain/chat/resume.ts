import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { notOfStream, placeOf, takeUp } from './take-up.ts'

/** Takes up a stream of the caller's session after the last event that the caller has. */
export const resume: Handler<typeof contract.chat.resume, 'chatStreams'> = async (ports, input, call) => {
  const { stream_id: streamId, after_id: afterId, events = false } = input
  const place = afterId ? placeOf(afterId) : { streamId, afterSeq: 0 }
  if (place.streamId !== streamId) throw notOfStream()
  return await takeUp(ports, { ...place, events }, call)
}

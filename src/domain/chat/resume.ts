import type { contract } from '../../contract/index.ts'
import { invalid } from '../errors.ts'
import type { Handler } from '../handler.ts'
import { followReply } from './follow.ts'

/** Takes up a stream of the caller's session after the last piece that the caller has. */
export const resume: Handler<typeof contract.chat.resume, 'chatStreams'> = async (ports, input, call) => {
  const found = await ports.chatStreams.find(input.stream_id)
  if (found === null || found.sessionId !== call.principal.sessionId)
    throw call.fail('NOT_FOUND', 'There is no such stream in this session.')
  call.nameStream(input.stream_id)
  return followReply(ports, input.stream_id, sequence(input.stream_id, input.after_id), call.signal)
}

/** The place in the stream that an event id names; 0 where none is given. */
function sequence(streamId: string, id: string | undefined): number {
  if (id === undefined || id === '') return 0
  const [stream, seq, ...rest] = id.split(':')
  if (stream !== streamId || seq === undefined || rest.length > 0 || !/^\d{1,9}$/.test(seq)) {
    throw invalid('after_id', 'send the id of the last event of this stream, <stream_id>:<number>')
  }
  return Number(seq)
}

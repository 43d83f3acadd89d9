import { DomainError, invalid } from '../core/errors.ts'
import type { Call } from '../core/handler.ts'
import type { Ports } from '../ports/index.ts'
import { type ChatEvent, followReply, type Reading } from './follow.ts'

type Reader = Pick<Call<{ auth: 'session' }>, 'principal' | 'nameStream' | 'left'>

/** Reads a stream of the caller's session from a place on. NOT_FOUND where the session has none of the name. */
export async function takeUp(
  ports: Pick<Ports, 'chatStreams'>,
  reading: Reading,
  call: Reader,
): Promise<AsyncIterable<ChatEvent>> {
  const found = await ports.chatStreams.find(reading.streamId)
  if (found === null || found.sessionId !== call.principal.sessionId)
    throw new DomainError('NOT_FOUND', 'There is no such stream in this session.')
  call.nameStream(reading.streamId)
  return followReply(ports, reading, call.left)
}

/** The stream and the place in it that an event id names. Throws INVALID_ARGUMENT where it names none. */
export function placeOf(eventId: string): { streamId: string; afterSeq: number } {
  const [, streamId, seq] = /^([0-9a-f-]{36}):(\d{1,9})$/.exec(eventId) ?? []
  if (streamId === undefined) throw notOfStream()
  return { streamId, afterSeq: Number(seq) }
}

/** What to answer to an id that is none of the stream that it is sent for. */
export function notOfStream(): DomainError {
  return invalid('after_id', 'send the id of the last event of this stream, <stream_id>:<number>')
}

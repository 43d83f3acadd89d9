import { historyCursor, replyEventId } from '../../contract/chat.ts'
import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { type Fail, invalid } from '../core/errors.ts'
import type { Call, Handler } from '../core/handler.ts'
import type { StoredStream, StreamError } from '../ports/conversations.ts'
import type { Ports } from '../ports/index.ts'
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

/** A piece of an answer as every protocol shows it; `id` is the cursor that resumes after it. */
type ChatEvent = OutputOf<typeof contract.chat.stream>

/** What to read of a stream: the events after a number, with or without those that are not text. */
type Reading = { streamId: string; afterSeq: number; events: boolean }

type ReadFail = Fail<StreamError['code'] | 'NOT_FOUND'>
type Reader = Pick<Call<{ auth: 'session' }>, 'principal' | 'nameStream' | 'disconnected'> & { fail: ReadFail }

/**
 * The stored events of a stream, and those that are still being written. A failed answer ends with its error, and one
 * that is cleared meanwhile with NOT_FOUND. A reader that has the last event receives nothing more.
 */
async function* followReply(
  ports: Pick<Ports, 'chatStreams'>,
  { streamId, afterSeq, events }: Reading,
  signal: AbortSignal,
  fail: ReadFail,
): AsyncGenerator<ChatEvent> {
  const eventOf = (seq: number, content: string): ChatEvent => ({
    id: `${streamId}:${seq}`,
    role: 'assistant',
    content,
  })
  for await (const { seq, content, facts } of ports.chatStreams.follow(streamId, afterSeq, signal)) {
    if (events) yield { ...eventOf(seq, content), ...(facts ?? { event: 'text' }) }
    else if (facts === null) yield eventOf(seq, content)
  }
  if (signal.aborted) return
  const stream = await ports.chatStreams.find(streamId)
  if (stream === null)
    throw fail('NOT_FOUND', 'This answer no longer exists: its session was deleted, or its history cleared.')
  const end = stream.lastSeq + 1
  if (afterSeq >= end) return
  const error = errorOf(stream)
  if (events) yield { ...eventOf(end, ''), ...(error === null ? doneOf(stream) : { event: 'error', error }) }
  if (error !== null) throw fail(error.code, error.message)
}

function errorOf({ state, error }: StoredStream): StreamError | null {
  if (state !== 'failed') return null
  return error ?? { code: 'UNAVAILABLE', message: 'The assistant did not finish this answer. Ask again.' }
}

function doneOf({ state }: StoredStream) {
  return { event: 'done', ended: state === 'stopped' ? 'stopped' : 'done' } as const
}

/** Reads a stream of the caller's session after an event. NOT_FOUND where the session has no such stream. */
async function resumeReply(
  ports: Pick<Ports, 'chatStreams'>,
  reading: Reading,
  call: Reader,
): Promise<AsyncIterable<ChatEvent>> {
  const found = await ports.chatStreams.find(reading.streamId)
  if (found === null || found.sessionId !== call.principal.sessionId)
    throw call.fail('NOT_FOUND', 'This session has no such stream.')
  call.nameStream(reading.streamId)
  return followReply(ports, reading, call.disconnected, call.fail)
}

/** The stream and the event number that an event id names. INVALID_ARGUMENT where it is not an event id. */
function parseCursor(eventId: string): { streamId: string; afterSeq: number } {
  const [, streamId, seq] = replyEventId.exec(eventId) ?? []
  if (streamId === undefined) throw invalidCursor()
  return { streamId: streamId.toLowerCase(), afterSeq: Number(seq) }
}

/** The error of an id that is not an event of the stream. */
function invalidCursor() {
  return invalid('after_id', 'send the id of the last event of this stream, <stream_id>:<number>')
}

/** The session's messages in order: all of them, or one page. The newest page comes first. */
export const history: Handler<typeof contract.chat.history, 'messages'> = async (ports, input, call) => {
  const { sessionId } = call.principal
  const { cursor, limit = bounds.pageItems } = input
  if (cursor === undefined && input.limit === undefined) return { messages: await ports.messages.list(sessionId) }
  const found = await ports.messages.page(sessionId, beforeId(cursor), limit + 1)
  const messages = found.slice(0, limit).reverse()
  const [oldest] = messages
  return { messages, ...(found.length > limit && oldest !== undefined && { next_cursor: String(oldest.id) }) }
}

/** A cursor is the id of the oldest message of the previous page. */
function beforeId(cursor: string | undefined): number | null {
  if (cursor === undefined) return null
  if (!historyCursor.test(cursor)) throw invalid('cursor', 'send the next_cursor of an earlier page unchanged')
  return Number(cursor)
}

/**
 * Deletes the session's history with its answers. An answer that is being written stores nothing any more, and a quote
 * that was shown can no longer be confirmed here.
 */
export const clear: Handler<typeof contract.chat.clear, 'messages'> = async (ports, _input, call) => {
  await ports.messages.clear(call.principal.sessionId)
  return {}
}

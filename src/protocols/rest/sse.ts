import type { FastifyReply } from 'fastify'
import { DomainError } from '../../domain/core/errors.ts'
import { untilAborted } from '../../domain/core/until-aborted.ts'
import type { ResponseHeaders } from '../../gateway/request.ts'
import { beginEvents, type Pace, writeEvents } from '../event-stream.ts'
import { problemOf } from '../problem.ts'

/** Times of an event stream in milliseconds. */
export type SseTimes = Pace & { firstEventMs: number }

export const sseTimes: SseTimes = { heartbeatMs: 15_000, slowReaderMs: 30_000, firstEventMs: 1_000 }

type Stream = {
  events: AsyncGenerator<unknown, void, undefined>
  headers: ResponseHeaders
  /** Aborts when the reader disconnects. */
  disconnected: AbortSignal
  /** Aborts when the server begins to close. */
  closing: AbortSignal
}

/**
 * Sends events as text/event-stream until `[DONE]`. Returns the error of a stream that fails before its headers are sent,
 * so that it can have its own status. A later error is sent as an `error` event with a problem document, and null is
 * returned.
 */
export async function sendEvents(
  reply: FastifyReply,
  stream: Stream,
  times: SseTimes = sseTimes,
): Promise<DomainError | null> {
  const ended = AbortSignal.any([stream.disconnected, stream.closing])
  const events = untilAborted(stream.events, ended)
  const first = events.next()
  const failedEarly = first.then(
    () => null,
    (thrown: unknown) => failureOf(thrown),
  )
  const failure = await Promise.race([failedEarly, after(times.firstEventMs)])
  if (failure !== null) return failure
  const raw = beginEvents(reply, { ...stream.headers, ...streamHeaders })
  const dialect = {
    frameOf: eventFrame,
    ping: ': ping\n\n',
    last() {
      if (!stream.closing.aborted) return 'data: [DONE]\n\n'
      throw new DomainError('UNAVAILABLE', 'The server is closing. Open the stream again from its last event.')
    },
    failed: (thrown: unknown) =>
      `event: error\ndata: ${JSON.stringify(problemOf(failureOf(thrown), reply.request.id))}\n\n`,
  }
  await writeEvents(raw, events, dialect, times, ended, first)
  return null
}

function failureOf(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown
  return new DomainError('INTERNAL', 'The stream failed unexpectedly. Open it again.', {}, thrown)
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

/**
 * The event is one data line, as the specification has it, with its `id` last. The same id follows in a block of its own,
 * where an EventSource takes it for its next Last-Event-ID.
 */
function eventFrame(event: unknown): string {
  const id = idOf(event)
  if (id === null) return `data: ${JSON.stringify(event)}\n\n`
  const { id: _, ...fields } = event as Record<string, unknown>
  return `data: ${JSON.stringify({ ...fields, id })}\n\nid: ${id}\n\n`
}

function idOf(event: unknown): string | null {
  if (typeof event !== 'object' || event === null || !('id' in event)) return null
  return typeof event.id === 'string' && /^[\x21-\x7e]{1,200}$/.test(event.id) ? event.id : null
}

async function after(ms: number): Promise<null> {
  const { promise, resolve } = Promise.withResolvers<null>()
  setTimeout(resolve, ms, null).unref()
  return await promise
}

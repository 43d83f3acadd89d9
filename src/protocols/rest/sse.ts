import type { FastifyReply } from 'fastify'
import { DomainError } from '../../domain/core/errors.ts'
import { untilAborted } from '../../domain/core/until-aborted.ts'
import type { ResponseHeaders } from '../../gateway/request.ts'
import { idOf, streamClosing } from '../closing.ts'
import { beginEvents, type Pace, writeEvents } from '../event-stream.ts'
import { problemOf } from '../problem.ts'

/** Times of an event stream in milliseconds. */
export type SseTimes = Pace & { firstEventMs: number }

export const sseTimes: SseTimes = { heartbeatMs: 15_000, slowReaderMs: 30_000, firstEventMs: 1_000 }

type Stream = {
  events: AsyncGenerator<unknown, void, undefined>
  headers: ResponseHeaders
  /** The event that a stream of data lines alone pings with; undefined where the events have ids of their own. */
  emptyEvent: Record<string, string> | undefined
  /** True where the reader goes on after an event. */
  resumed: boolean
  /** Aborts when the reader disconnects. */
  disconnected: AbortSignal
  /** Aborts when the server begins to close. */
  closing: AbortSignal
}

/**
 * Sends events as text/event-stream until `[DONE]`. Returns the error of a stream that fails before its headers are sent,
 * so that it can have its own status. A later error is the last event, with a problem document, and null is returned. A
 * reader that resumes a stream that is over receives 204, after which an EventSource does not reconnect.
 */
export async function sendEvents(
  reply: FastifyReply,
  stream: Stream,
  times: SseTimes = sseTimes,
): Promise<DomainError | null> {
  const ended = AbortSignal.any([stream.disconnected, stream.closing])
  const events = untilAborted(stream.events, ended)
  const first = events.next()
  const begun = await Promise.race([first.then(({ done }) => done === true, failureOf), after(times.firstEventMs)])
  if (begun instanceof DomainError) return begun
  if (begun && stream.resumed && !ended.aborted) {
    await reply
      .code(204)
      .headers({ ...stream.headers, 'cache-control': 'no-store' })
      .send()
    return null
  }
  const raw = beginEvents(reply, { ...stream.headers, ...streamHeaders })
  const kind = stream.emptyEvent === undefined ? standardEvents : dataLines(stream.emptyEvent)
  let cursor: string | null = null
  const dialect = {
    ...kind,
    frameOf(event: unknown) {
      // What comes once the stream is over is not written any more.
      if (!ended.aborted) cursor = idOf(event)
      return kind.frameOf(event)
    },
    last() {
      if (!stream.closing.aborted) return 'data: [DONE]\n\n'
      throw streamClosing(cursor)
    },
  }
  const failed = (thrown: unknown) => dialect.failed(problemOf(failureOf(thrown), reply.request.id))
  await writeEvents(raw, events, { ...dialect, failed }, times, ended, first)
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

/** The events as an EventSource reads them: the id first in its block, for readers that take what stands above the data. */
export const standardEvents = {
  frameOf: (event: unknown) => blockOf(event, (id) => `id: ${id}\n`),
  // Without a blank line, which alone is an event for some readers.
  ping: ': ping\n',
  failed: (error: object) => `event: error\n${blockOf(error)}`,
}

/** The events as lines of data alone, each a JSON object with at least the fields of the empty one. */
export function dataLines(emptyEvent: Record<string, string>) {
  return {
    frameOf: (event: unknown) => blockOf(event),
    ping: blockOf(emptyEvent),
    failed: (error: object) => blockOf({ ...emptyEvent, error }),
  }
}

/** The event as JSON, with its id last, after the fields of the specification; `above` makes the lines above it. */
function blockOf(event: unknown, above: (id: string) => string = () => ''): string {
  const id = idOf(event)
  if (id === null) return `data: ${JSON.stringify(event)}\n\n`
  const { id: _, ...fields } = event as Record<string, unknown>
  return `${above(id)}data: ${JSON.stringify({ ...fields, id })}\n\n`
}

async function after(ms: number): Promise<false> {
  const { promise, resolve } = Promise.withResolvers<false>()
  setTimeout(resolve, ms, false).unref()
  return await promise
}

import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { endWithError, writeInTime } from './streams.ts'

/** How a protocol writes its events as text/event-stream. */
export type Dialect = {
  frameOf(event: unknown): string
  ping: string
  /** What follows the last event; throws where the stream stops before its end. */
  last(): string
  /** The frame of an error. */
  failed(thrown: unknown): string
}

/** Milliseconds between two pings, and those after which a reader that reads nothing is ended. */
export type Pace = { heartbeatMs: number; slowReaderMs: number }

/** Sends the headers of a response, and returns the response to write its events to. */
export function beginEvents(reply: FastifyReply, headers: Record<string, string>): ServerResponse {
  reply.hijack()
  const { raw } = reply
  raw.on('error', () => undefined) // the caller's signal shows that a reader has disconnected
  raw.writeHead(200, { ...presentHeaders(reply), ...headers })
  raw.flushHeaders()
  return raw
}

/**
 * Writes events until they end or fail, and ends the response. `ended` aborts when the caller has disconnected. `first` is
 * the first event, where it was requested before.
 */
export async function writeEvents(
  raw: ServerResponse,
  events: AsyncGenerator<unknown, void, undefined>,
  { frameOf, ping, last, failed }: Dialect,
  { heartbeatMs, slowReaderMs }: Pace,
  ended: AbortSignal,
  first = events.next(),
): Promise<void> {
  const heartbeat = setInterval(() => raw.destroyed || raw.writableNeedDrain || raw.write(ping), heartbeatMs)
  try {
    for (let next = await first; next.done !== true; next = await events.next())
      await writeInTime(raw, frameOf(next.value), ended, slowReaderMs)
    raw.end(last())
  } catch (thrown) {
    endWithError(raw, failed(thrown), slowReaderMs)
  } finally {
    clearInterval(heartbeat)
    await events.return()
  }
}

function presentHeaders(reply: FastifyReply): Record<string, string | number | string[]> {
  return Object.fromEntries(
    Object.entries(reply.getHeaders()).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

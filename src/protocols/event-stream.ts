import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { endWithReason, writePatiently } from './streams.ts'

/** How a protocol writes its events as text/event-stream. */
export type Dialect = {
  frameOf(event: unknown): string
  ping: string
  /** What follows the last event; throws where the stream ends without being over. */
  last(): string
  /** What a reader is told of a failure. */
  failed(thrown: unknown): string
}

/** Milliseconds between two pings, and those that a reader may take nothing. */
export type Pace = { heartbeatMs: number; slowReaderMs: number }

/** Sends the head of a response whose events follow, and answers where they are written. */
export function beginEvents(reply: FastifyReply, headers: Record<string, string>): ServerResponse {
  reply.hijack()
  const { raw } = reply
  raw.on('error', () => undefined) // a reader that is gone shows as its signal
  raw.writeHead(200, { ...presentHeaders(reply), ...headers })
  raw.flushHeaders()
  return raw
}

/**
 * Writes events until they end or fail, and ends the response; `ended` aborts when nobody
 * waits for the next one. `first` is the first event where it is asked for already.
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
      await writePatiently(raw, frameOf(next.value), ended, slowReaderMs)
    raw.end(last())
  } catch (thrown) {
    endWithReason(raw, failed(thrown), slowReaderMs)
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

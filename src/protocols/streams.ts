import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { DomainError } from '../domain/core/errors.ts'

/** What happens to a reader that does not read. */
export type SlowReader = {
  /** After this time without a read it receives no further event, and after four times as long it is disconnected. */
  timeoutMs: number
  /** Closes the connection of a reader that does not read the error either. */
  disconnect(): void
}

/** An ended stream waits this many timeouts for its reader to read the error. */
const timeoutsForError = 4

/**
 * The events for a reader that requests each when it has room for it. Where it requests none in time the events are ended,
 * so that nothing waits for it. Its next request throws DEADLINE_EXCEEDED.
 */
export async function* readInTime<T>(
  events: AsyncGenerator<T, void, undefined>,
  { timeoutMs, disconnect }: SlowReader,
): AsyncGenerator<T, void, undefined> {
  let late = false
  let timer: NodeJS.Timeout | undefined
  const end = () => {
    late = true
    void events.return()
    timer = setTimeout(disconnect, timeoutsForError * timeoutMs)
  }
  try {
    for await (const event of events) {
      timer = setTimeout(end, timeoutMs)
      yield event
      clearTimeout(timer)
      if (late) throw tooSlow()
    }
  } finally {
    clearTimeout(timer)
  }
}

/** Ends a stream with an error. A reader that does not read it either is disconnected after four times `timeoutMs`. */
export function endWithError(target: Writable, error: string, timeoutMs: number): void {
  if (target.destroyed) return
  const timer = setTimeout(() => target.destroy(), timeoutsForError * timeoutMs)
  target.once('close', () => clearTimeout(timer))
  target.end(error, () => clearTimeout(timer))
}

/** Writes, and waits until a full buffer has drained. Throws DEADLINE_EXCEEDED where the reader reads nothing for `timeoutMs`. */
export async function writeInTime(
  target: Writable,
  chunk: string | Buffer,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<void> {
  if (target.destroyed || signal.aborted || target.write(chunk)) return
  await drained(target, signal, timeoutMs)
}

/** Waits for 'drain' or the signal. Throws DEADLINE_EXCEEDED after `timeoutMs`. */
async function drained(target: Writable, signal: AbortSignal, timeoutMs: number): Promise<void> {
  const waiting = new AbortController()
  try {
    await inTime(once(target, 'drain', { signal: waiting.signal }), signal, timeoutMs)
  } finally {
    waiting.abort()
  }
}

/** Waits until the reader has taken something, or for the signal. Throws DEADLINE_EXCEEDED after `timeoutMs`. */
export async function inTime(taken: Promise<unknown>, signal: AbortSignal, timeoutMs: number): Promise<void> {
  const ended = Promise.withResolvers<void>()
  const end = () => ended.resolve()
  const timer = setTimeout(() => ended.reject(tooSlow()), timeoutMs)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  try {
    await Promise.race([taken.catch(end), ended.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

function tooSlow(): DomainError {
  return new DomainError(
    'DEADLINE_EXCEEDED',
    'The reader of this stream is too slow. Open it again from its last event.',
  )
}

/** Aborts when the caller disconnects before its response is written. */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort()
  })
  if (response.destroyed) controller.abort()
  return controller.signal
}

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { DomainError } from '../domain/errors.ts'

/**
 * The events until they end or the signal aborts. A pending event is not waited for once it aborts: an operation that
 * finishes without its caller would hold the connection's memory until its next event.
 */
export async function* untilAborted<T>(
  events: AsyncGenerator<T, void, undefined>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const aborted = Promise.withResolvers<null>()
  const onAbort = () => aborted.resolve(null)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    while (!signal.aborted) {
      const pending = events.next()
      const next = await Promise.race([pending, aborted.promise])
      if (next === null) pending.catch(() => undefined) // its failure has nobody left to hear it
      if (next === null || next.done === true) return
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    events.return().catch(() => undefined)
  }
}

/** Writes and waits for a full buffer to drain. Throws where the reader takes nothing for `patienceMs`. */
export async function writePatiently(
  target: Writable,
  chunk: string | Buffer,
  signal: AbortSignal,
  patienceMs: number,
): Promise<void> {
  if (target.destroyed || signal.aborted || target.write(chunk)) return
  await drained(target, signal, patienceMs)
}

/** Waits for 'drain', the signal, or at most `patienceMs`: then it throws DEADLINE_EXCEEDED. */
export async function drained(target: NodeJS.EventEmitter, signal: AbortSignal, patienceMs: number): Promise<void> {
  const patience = AbortSignal.timeout(patienceMs)
  try {
    await once(target, 'drain', { signal: AbortSignal.any([signal, patience]) })
  } catch {
    if (!signal.aborted)
      throw new DomainError(
        'DEADLINE_EXCEEDED',
        'The reader of this stream is too slow; open it again from its last event.',
      )
  }
}

/** Aborts when the caller leaves before its answer is written. */
export function leavingSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort()
  })
  if (response.destroyed) controller.abort()
  return controller.signal
}

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { DomainError } from '../domain/core/errors.ts'

/**
 * The events until they end or the signal aborts. A pending event is not waited for once it aborts: an operation that
 * finishes without its caller would hold the connection's memory until its next event.
 */
export async function* untilAborted<T>(
  events: AsyncGenerator<T, void, undefined>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  let leave: () => void = () => undefined
  const onAbort = () => leave()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    while (!signal.aborted) {
      // A race against one promise of the whole stream would keep every event until its end.
      const next = await new Promise<IteratorResult<T, void> | null>((resolve, reject) => {
        leave = () => resolve(null)
        events.next().then(resolve, reject)
      })
      if (next === null || next.done === true) return
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    events.return().catch(() => undefined)
  }
}

/** What happens to a reader that asks for nothing. */
export type Patience = {
  /** Milliseconds after which it gets no further event, and four times as many after which it is cut. */
  milliseconds: number
  /** Ends the connection of a reader that does not even take the reason. */
  cut(): void
}

/** So many times the patience with its reader an ended stream waits for the reason to be taken. */
const reasonWaits = 4

/**
 * The events for a reader that asks for each when it has room for it. Where it asks for none in time the events are
 * ended, so that nothing waits for it, and what it is told when it asks again is DEADLINE_EXCEEDED.
 */
export async function* readInTime<T>(
  events: AsyncGenerator<T, void, undefined>,
  { milliseconds, cut }: Patience,
): AsyncGenerator<T, void, undefined> {
  let late = false
  let timer: NodeJS.Timeout | undefined
  const letGo = () => {
    late = true
    void events.return()
    timer = setTimeout(cut, reasonWaits * milliseconds)
  }
  try {
    for await (const event of events) {
      timer = setTimeout(letGo, milliseconds)
      yield event
      clearTimeout(timer)
      if (late) throw tooSlow()
    }
  } finally {
    clearTimeout(timer)
  }
}

/** Ends a stream with a reason. A reader that does not even take that is cut after four times `patienceMs`. */
export function endWithReason(target: Writable, reason: string, patienceMs: number): void {
  if (target.destroyed) return
  const timer = setTimeout(() => target.destroy(), reasonWaits * patienceMs)
  target.once('close', () => clearTimeout(timer))
  target.end(reason, () => clearTimeout(timer))
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
async function drained(target: Writable, signal: AbortSignal, patienceMs: number): Promise<void> {
  const waiting = new AbortController()
  try {
    await inTime(once(target, 'drain', { signal: waiting.signal }), signal, patienceMs)
  } finally {
    waiting.abort()
  }
}

/** Waits until something has been taken, for the signal, or at most `patienceMs`: then it throws DEADLINE_EXCEEDED. */
export async function inTime(taken: Promise<unknown>, signal: AbortSignal, patienceMs: number): Promise<void> {
  const over = Promise.withResolvers<void>()
  const leave = () => over.resolve()
  const timer = setTimeout(() => over.reject(tooSlow()), patienceMs)
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  try {
    await Promise.race([taken.catch(leave), over.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
  }
}

function tooSlow(): DomainError {
  return new DomainError(
    'DEADLINE_EXCEEDED',
    'The reader of this stream is too slow; open it again from its last event.',
  )
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

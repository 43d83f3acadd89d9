import { DomainError } from '../../domain/core/errors.ts'

/** Joins the running call with this key, or starts it. The call is aborted once all its callers have disconnected. */
type Coalesce = (key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<unknown>) => Promise<unknown>

type Shared = { result: Promise<unknown>; callers: number; abort: () => void }

/** Returns a function that runs equal concurrent calls once. Results are not stored after the call. */
export function createCoalesce(): Coalesce {
  const underway = new Map<string, Shared>()

  function begin(key: string, start: (signal: AbortSignal) => Promise<unknown>): Shared {
    const abandoned = new AbortController()
    const shared: Shared = { result: start(abandoned.signal), callers: 0, abort: () => abandoned.abort() }
    const forget = () => forgetShared(key, shared)
    shared.result.then(forget, forget)
    underway.set(key, shared)
    return shared
  }

  /** False where the call has ended and was removed already. */
  function forgetShared(key: string, shared: Shared): boolean {
    return underway.get(key) === shared && underway.delete(key)
  }

  return async (key, signal, start) => {
    if (signal.aborted) throw cancelled()
    const shared = underway.get(key) ?? begin(key, start)
    shared.callers += 1
    try {
      return await unlessAborted(shared.result, signal)
    } finally {
      shared.callers -= 1
      if (shared.callers === 0 && forgetShared(key, shared)) shared.abort()
    }
  }
}

/** Waits for work until the signal aborts: then CANCELLED, while the work itself continues. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(cancelled())
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

export function cancelled(): DomainError {
  return new DomainError('CANCELLED', 'The call was cancelled before its result was ready.')
}

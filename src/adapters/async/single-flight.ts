import { DomainError } from '../../domain/core/errors.ts'

/** Joins a call of this key that is under way, or begins it. The call is aborted once nobody waits for it any more. */
export type Coalesce = (
  key: string,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<unknown>,
) => Promise<unknown>

type Shared = { answer: Promise<unknown>; waiting: number; abort: () => void }

/** Makes the function by which equal calls share one. Nothing is kept beyond the answer. */
export function createCoalesce(): Coalesce {
  const underway = new Map<string, Shared>()

  function begin(key: string, ask: (signal: AbortSignal) => Promise<unknown>): Shared {
    const left = new AbortController()
    const shared: Shared = { answer: ask(left.signal), waiting: 0, abort: () => left.abort() }
    const forget = () => forgetShared(key, shared)
    shared.answer.then(forget, forget)
    underway.set(key, shared)
    return shared
  }

  /** False where it is forgotten already, as a call is that has its answer. */
  function forgetShared(key: string, shared: Shared): boolean {
    return underway.get(key) === shared && underway.delete(key)
  }

  return async (key, signal, ask) => {
    if (signal.aborted) throw cancelled()
    const shared = underway.get(key) ?? begin(key, ask)
    shared.waiting += 1
    try {
      return await unlessAborted(shared.answer, signal)
    } finally {
      shared.waiting -= 1
      if (shared.waiting === 0 && forgetShared(key, shared)) shared.abort()
    }
  }
}

/** Waits for work until the signal, which ends the waiting and not the work. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const left = Promise.withResolvers<never>()
  const leave = () => left.reject(cancelled())
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([work, left.promise])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

export function cancelled(): DomainError {
  return new DomainError('CANCELLED', 'The call ended before its answer was ready.')
}

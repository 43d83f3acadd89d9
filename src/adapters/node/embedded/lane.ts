import { DomainError } from '../../../domain/core/errors.ts'

/** Does one piece of work after another. */
export type Lane = <T>(work: () => Promise<T>) => Promise<T>

/** Makes a lane in which so many may wait; the next one is UNAVAILABLE, so that nobody waits without end. */
export function createLane(mostWaiting: number): Lane {
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  return async (work) => {
    if (waiting > mostWaiting)
      throw new DomainError('UNAVAILABLE', 'Too many ask for steps at once; try again in a few seconds.')
    waiting += 1
    const done = last.then(work, work)
    last = done.catch(() => undefined)
    try {
      return await done
    } finally {
      waiting -= 1
    }
  }
}

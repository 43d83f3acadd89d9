import { DomainError } from '../../domain/core/errors.ts'

/** How much work runs at once, how much more may wait, and what callers past that are told. */
export type QueueLimits = { atOnce: number; waiting: number; full: string }

/** Runs costly work a few pieces at a time, so that many callers cost time and not memory; past its limits RATE_LIMITED. */
export function createQueue({ atOnce, waiting, full }: QueueLimits) {
  const line: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < atOnce) running += 1
    else {
      if (line.length >= waiting) throw new DomainError('RATE_LIMITED', full, { retryAfterSeconds: 2 })
      await new Promise<void>((resolve) => line.push(resolve))
    }
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next === undefined) running -= 1
      else next() // hands its place over without a gap that a newcomer could slip into
    }
  }
}

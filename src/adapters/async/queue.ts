import { DomainError } from '../../domain/core/errors.ts'

type QueueLimits = {
  /** How much work runs at a time, and how much more may wait. */
  atOnce: number
  waiting: number
  /** The error for callers past that: its message, and RATE_LIMITED unless another code is given. */
  full: string
  code?: 'RATE_LIMITED' | 'UNAVAILABLE'
}

/** Makes a queue for costly work, so that many callers cost time and not memory. */
export function createQueue({ atOnce, waiting, full, code = 'RATE_LIMITED' }: QueueLimits) {
  const line: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < atOnce) running += 1
    else {
      if (line.length >= waiting) throw new DomainError(code, full, { retryAfterSeconds: 2 })
      await new Promise<void>((resolve) => line.push(resolve))
    }
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next === undefined) running -= 1
      else next() // the next work takes this one's slot, before a new caller can
    }
  }
}

export type Queue = ReturnType<typeof createQueue>

/** Makes queues by key, each with these limits. A queue without work is forgotten. */
export function createQueues<Key>(limits: QueueLimits) {
  const queues = new Map<Key, { queue: Queue; using: number }>()
  return async <T>(key: Key, work: () => Promise<T>): Promise<T> => {
    const one = queues.get(key) ?? { queue: createQueue(limits), using: 0 }
    queues.set(key, one)
    one.using += 1
    try {
      return await one.queue(work)
    } finally {
      one.using -= 1
      if (one.using === 0) queues.delete(key)
    }
  }
}

export type Queues<Key> = ReturnType<typeof createQueues<Key>>

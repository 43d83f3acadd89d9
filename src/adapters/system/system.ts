import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock, Hashing, Ids } from '../../domain/ports/system.ts'
import { timeLimit } from '../../kit/time-limit.ts'

/** The system clock. */
export const systemClock: Clock = {
  now: () => new Date(),
  wait: async (milliseconds) => await sleep(milliseconds, undefined, { ref: false }),
  limit: timeLimit,
  every(milliseconds, work) {
    const timer = setInterval(work, milliseconds).unref()
    return () => clearInterval(timer)
  },
}

/** Random UUIDs. */
export const randomIds: Ids = { uuid: () => randomUUID() }

/** SHA-256 from node:crypto. */
export const nodeHashing: Hashing = { sha256: (text) => createHash('sha256').update(text, 'utf8').digest('hex') }

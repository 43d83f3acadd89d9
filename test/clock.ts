import { systemClock } from '../src/adapters/system/system.ts'
import type { Clock } from '../src/domain/ports/system.ts'

/** A clock whose `now` the test sets; its timers are real. */
export function clockAt(now: () => Date): Clock {
  return { ...systemClock, now }
}

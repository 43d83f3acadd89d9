import { systemClock } from '../src/adapters/system/system.ts'
import type { Clock } from '../src/domain/ports/system.ts'

/** A clock of a test: `now` is the test's, the timers are real. */
export function clockAt(now: () => Date): Clock {
  return { ...systemClock, now }
}

import type { RateRules } from '../../contract/shared/limits.ts'
import { DomainError } from '../../domain/core/errors.ts'
import type { Limiter, Taken } from '../../domain/ports/limiter.ts'
import type { Clock } from '../../domain/ports/system.ts'

/** Counts wrong passwords by key. Both refuse with RATE_LIMITED and the advice after too many. */
export type Guesses = {
  /** Only looks. */
  check(key: string, advice: string): Promise<void>
  /** Counts a guess before it is known to be wrong. Returns what takes it back, for one that was not. */
  count(key: string, advice: string): Promise<() => Promise<void>>
}

/** Counts by the rule `guesses`, always as a bucket. */
export function createGuesses(rules: RateRules | 'off', limiter: Limiter, clock: Clock): Guesses {
  if (rules === 'off') return { check: async () => undefined, count: async () => async () => undefined }
  const rule = { ...rules.guesses, burst: rules.guesses.burst ?? rules.guesses.limit }
  return {
    async check(key, advice) {
      refuseUnlessAllowed(await limiter.charge('guesses', rule, key, clock.now(), 0), advice)
    },
    async count(key, advice) {
      const now = clock.now()
      refuseUnlessAllowed(await limiter.take('guesses', rule, key, now), advice)
      return () => limiter.giveBack('guesses', rule, key, now)
    },
  }
}

function refuseUnlessAllowed({ allowed, retryAfterSeconds }: Taken, advice: string): void {
  if (allowed) return
  const message = `Too many wrong passwords for this account. Try again in ${retryAfterSeconds} s. ${advice}`
  throw new DomainError('RATE_LIMITED', message.trimEnd(), { retryAfterSeconds })
}

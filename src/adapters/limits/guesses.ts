import type { RateRules } from '../../contract/shared/limits.ts'
import { DomainError } from '../../domain/core/errors.ts'
import type { Guesses } from '../../domain/ports/accounts.ts'
import type { Limiter } from '../../domain/ports/limiter.ts'
import type { Clock } from '../../domain/ports/system.ts'

/** Counts wrong passwords by the rule `guesses`. */
export function createGuesses(rules: RateRules | 'off', limiter: Limiter, clock: Clock): Guesses {
  return {
    async count(key) {
      if (rules === 'off') return async () => undefined
      const rule = rules.guesses
      const now = clock.now()
      const { allowed, retryAfterSeconds } = await limiter.take('guesses', rule, key, now)
      if (allowed) return () => limiter.giveBack('guesses', rule, key, now)
      const message = `Too many wrong passwords for this account. Try again in ${retryAfterSeconds} s, or log in from an address that you used it from before.`
      throw new DomainError('RATE_LIMITED', message, { retryAfterSeconds })
    },
  }
}

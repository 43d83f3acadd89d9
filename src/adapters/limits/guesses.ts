import type { RateRules } from '../../contract/shared/limits.ts'
import { DomainError } from '../../domain/core/errors.ts'
import type { Limiter, Taken } from '../../domain/ports/limiter.ts'
import type { Clock } from '../../domain/ports/system.ts'

/** Whose wrong passwords a guess counts among: those for an account, and those of an address over all accounts. */
type Counted = { whose: string; address: string | null; advice: string }

/** Counts wrong passwords. Both functions refuse with RATE_LIMITED after too many. */
export type Guesses = {
  /** Only looks. */
  check(counted: Counted): Promise<void>
  /** Counts a guess before it is known to be wrong. Returns what takes it back, for one that was not. */
  count(counted: Counted): Promise<() => Promise<void>>
}

/** Counts by the rules `guesses` and `guesses_address`, always as buckets. */
export function createGuesses(rules: RateRules | 'off', limiter: Limiter, clock: Clock): Guesses {
  if (rules === 'off') return { check: async () => undefined, count: async () => async () => undefined }
  const bucketsOf = ({ whose, address, advice }: Counted) => [
    ...(address === null
      ? []
      : [{ name: 'guesses_address' as const, key: address, of: 'from your address', advice: '' }]),
    { name: 'guesses' as const, key: whose, of: 'for this account', advice },
  ]
  const ruleOf = (name: 'guesses' | 'guesses_address') => ({
    ...rules[name],
    burst: rules[name].burst ?? rules[name].limit,
  })
  return {
    async check(counted) {
      for (const { name, key, of, advice } of bucketsOf(counted))
        refuseUnlessAllowed(await limiter.charge(name, ruleOf(name), key, clock.now(), 0), of, advice)
    },
    async count(counted) {
      const now = clock.now()
      const taken: (() => Promise<void>)[] = []
      const takeBack = async () => {
        for (const giveBack of taken) await giveBack()
      }
      for (const { name, key, of, advice } of bucketsOf(counted)) {
        const result = await limiter.take(name, ruleOf(name), key, now)
        // What was counted before a refusal was no guess.
        if (!result.allowed) await takeBack()
        refuseUnlessAllowed(result, of, advice)
        taken.push(() => limiter.giveBack(name, ruleOf(name), key, now))
      }
      return takeBack
    },
  }
}

function refuseUnlessAllowed({ allowed, retryAfterSeconds }: Taken, of: string, advice: string): void {
  if (allowed) return
  const message = `Too many wrong passwords ${of}. Try again in ${retryAfterSeconds} s. ${advice}`
  throw new DomainError('RATE_LIMITED', message.trimEnd(), { retryAfterSeconds })
}

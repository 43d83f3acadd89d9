import type { RateRule, RateRules } from '../../contract/shared/limits.ts'
import { DomainError } from '../../domain/core/errors.ts'
import type { Limiter, Taken } from '../../domain/ports/limiter.ts'
import type { Clock } from '../../domain/ports/system.ts'

/** Whose wrong passwords a guess counts among: those for an account, and those of an address over all accounts. */
type Counted = { whose: string; address: string | null; advice: string; end?: () => Promise<void> }

/** A guess that was counted: what takes it back, and whether no further one is allowed now. */
type Guess = { takeBack(): Promise<void>; isLast: boolean }

/** Counts wrong passwords. Both functions refuse with RATE_LIMITED after too many. */
export type Guesses = {
  /** Only looks. */
  check(counted: Counted): Promise<void>
  /** Counts a guess before it is known to be wrong, so that one that was not is taken back. */
  count(counted: Counted): Promise<Guess>
}

/**
 * Counts by the rules `guesses` and `guesses_address`, as buckets; those that end something within the window of the rule.
 */
export function createGuesses(rules: RateRules | 'off', limiter: Limiter, clock: Clock): Guesses {
  if (rules === 'off')
    return { check: async () => undefined, count: async () => ({ takeBack: async () => undefined, isLast: false }) }
  const bucketsOf = ({ whose, address, advice }: Counted) => [
    ...(address === null
      ? []
      : [{ name: 'guesses_address' as const, key: address, of: 'from your address', advice: '' }]),
    { name: 'guesses' as const, key: whose, of: 'for this account', advice },
  ]
  const ruleOf = (name: 'guesses' | 'guesses_address', { end }: Counted): RateRule => {
    const { burst, ...rule } = rules[name]
    return end === undefined ? { ...rule, burst: burst ?? rule.limit } : rule
  }
  return {
    async check(counted) {
      if (counted.end !== undefined) return
      for (const { name, key, of, advice } of bucketsOf(counted))
        refuseUnlessAllowed(await limiter.charge(name, ruleOf(name, counted), key, clock.now(), 0), of, advice)
    },
    async count(counted) {
      const now = clock.now()
      const taken: (() => Promise<void>)[] = []
      let isLast = false
      const takeBack = async () => {
        for (const giveBack of taken) await giveBack()
      }
      for (const { name, key, of, advice } of bucketsOf(counted)) {
        const rule = ruleOf(name, counted)
        const result = await limiter.take(name, rule, key, now)
        isLast = result.remaining === 0
        // What was counted before a refusal was no guess.
        if (!result.allowed) await takeBack()
        refuseUnlessAllowed(result, of, advice)
        taken.push(() => limiter.giveBack(name, rule, key, now))
      }
      return { takeBack, isLast }
    },
  }
}

function refuseUnlessAllowed({ allowed, retryAfterSeconds }: Taken, of: string, advice: string): void {
  if (allowed) return
  const message = `Too many wrong passwords ${of}. Try again in ${retryAfterSeconds} s. ${advice}`
  throw new DomainError('RATE_LIMITED', message.trimEnd(), { retryAfterSeconds })
}

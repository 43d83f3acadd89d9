import { type RateClass, type RateRules, type Tier, tiers } from '../contract/shared/limits.ts'
import { DomainError } from '../domain/core/errors.ts'
import type { Limiter } from '../domain/ports/limiter.ts'
import type { Clock } from '../domain/ports/system.ts'

/** Who asks, by all that a rate can be counted by: the number of an account, the id of an API key, an address. */
export type Asker = { account: number | undefined; key: string | undefined; address: string; tier: Tier }

type RateParts = { limiter: Limiter; rules: RateRules | 'off'; clock: Clock }

/** Takes a request from the rate of its class; `headers` learn what is left. RATE_LIMITED where that is nothing. */
export type RateLimits = (rate: RateClass, asker: Asker, headers: Record<string, string>) => void

/** Counts by what the rule of a class says, or by address where a caller has none of that. */
export function createRateLimits({ limiter, rules, clock }: RateParts): RateLimits {
  return (rate, asker, headers) => {
    if (rules === 'off') return
    const name = rate === 'node' ? tiers[asker.tier].rule : rate
    const rule = rules[name]
    const own = asker[rule.per]
    const key = own === undefined ? `address:${asker.address}` : `${rule.per}:${own}`
    const taken = limiter.take(name, rule, key, clock.now())
    headers['x-ratelimit-limit'] = String(taken.limit)
    headers['x-ratelimit-remaining'] = String(Math.min(taken.remaining, taken.limit)) // a burst is more
    headers['x-ratelimit-reset'] = String(Math.ceil(taken.resetAt.getTime() / 1_000))
    if (taken.allowed) return
    throw new DomainError(
      'RATE_LIMITED',
      `More than ${rule.limit} requests in ${rule.windowSeconds} s; try again in ${taken.retryAfterSeconds} s.`,
      { retryAfterSeconds: taken.retryAfterSeconds },
    )
  }
}

import { type RateClass, type RateRules, type Tier, tiers } from '../contract/shared/limits.ts'
import { DomainError } from '../domain/core/errors.ts'
import type { Limiter } from '../domain/ports/limiter.ts'
import type { Clock } from '../domain/ports/system.ts'

/** What a rate can count a caller by: the number of its account, the id of its API key, its address. */
export type Requester = { account: number | undefined; key: string | undefined; address: string; tier: Tier }

type RateParts = { limiter: Limiter; rules: RateRules | 'off'; clock: Clock }

/** Counts a request against the rate of its class, and sets the `x-ratelimit-*` headers. RATE_LIMITED where it exceeds the rate. */
export type RateLimits = (rate: RateClass, requester: Requester, headers: Record<string, string>) => Promise<void>

/** Counts by what the rule of the class names (account, key or address), or by address where the caller lacks it. */
export function createRateLimits({ limiter, rules, clock }: RateParts): RateLimits {
  return async (rate, requester, headers) => {
    if (rules === 'off') return
    const name = rate === 'node' ? tiers[requester.tier].rule : rate
    const rule = rules[name]
    const own = requester[rule.per]
    const key = own === undefined ? `address:${requester.address}` : `${rule.per}:${own}`
    const taken = await limiter.take(name, rule, key, clock.now())
    headers['x-ratelimit-limit'] = String(taken.limit)
    headers['x-ratelimit-remaining'] = String(Math.min(taken.remaining, taken.limit)) // a burst may leave more
    headers['x-ratelimit-reset'] = String(Math.ceil(taken.resetAt.getTime() / 1_000))
    if (taken.allowed) return
    throw new DomainError(
      'RATE_LIMITED',
      `More than ${rule.limit} requests in ${rule.windowSeconds} s. Try again in ${taken.retryAfterSeconds} s.`,
      { retryAfterSeconds: taken.retryAfterSeconds },
    )
  }
}

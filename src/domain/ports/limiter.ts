import type { RateRule } from '../../contract/shared/limits.ts'

/** The outcome of one request against one rule. */
export type Taken = {
  allowed: boolean
  limit: number
  /** Requests that would be allowed right now; those of a burst count too, so it may be more than the limit. */
  remaining: number
  /** When the whole limit is free again, should nothing more be asked. */
  resetAt: Date
  /** At least 1 where refused, else 0. */
  retryAfterSeconds: number
}

/** Counts requests by rule and key, such as `account:7`. */
export interface Limiter {
  /** Takes one request from the key's share of the rule; a refused one costs nothing. */
  take(ruleName: string, rule: RateRule, key: string, now: Date): Taken
}

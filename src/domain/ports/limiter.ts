import type { RateRule } from '../../contract/shared/limits.ts'

/** The result of counting one request against one rule. */
export type Taken = {
  allowed: boolean
  limit: number
  /** Requests that would be allowed right now. With a burst it may be more than the limit. */
  remaining: number
  /** When the whole limit is available again if no further request comes. */
  resetAt: Date
  /** Seconds until a refused request would be allowed, at least 1; 0 for an allowed one. */
  retryAfterSeconds: number
}

/** Counts requests by rule and key, such as `account:7`. */
export interface Limiter {
  /** Counts one request of a key against the rule. A refused request is not counted. */
  take(ruleName: string, rule: RateRule, key: string, now: Date): Promise<Taken>
  /**
   * Counts units that were used already, and says whether one more is left; 0 units only look. The rule counts like a
   * bucket, which may fall below empty by ten times its size.
   */
  charge(ruleName: string, rule: RateRule, key: string, now: Date, units: number): Promise<Taken>
  /** Takes back a request that was counted at the time, as if it had not been made. */
  giveBack(ruleName: string, rule: RateRule, key: string, at: Date): Promise<void>
}

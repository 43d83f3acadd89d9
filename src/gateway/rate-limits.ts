import {
  failureRules,
  grantedShare,
  type RateClass,
  type RateRule,
  type RateRules,
  type Tier,
  tiers,
} from '../contract/shared/limits.ts'
import { DomainError } from '../domain/core/errors.ts'
import type { Limiter, Taken } from '../domain/ports/limiter.ts'
import type { Clock } from '../domain/ports/system.ts'

/** What a rate can count a caller by: the number of its account, the id of its API key, its address. */
export type Requester = {
  account: number | undefined
  /** Null without a session token. Sessions with a grant share a part of what their account has. */
  session: 'whole' | 'granted' | null
  key: string | undefined
  address: string
  tier: Tier
  /** Set where the operator's token was sent. */
  operator: 'token' | undefined
}

type RateParts = { limiter: Limiter; rules: RateRules | 'off'; clock: Clock }

/** Called once with the outcome of a counted request. */
export type Settle = (succeeded: boolean) => Promise<void>

/** A request that was counted. `undo` takes it back, where it turned out to belong to another class. */
export type Counted = { settle: Settle; undo(): Promise<void> }

/**
 * Counts a request against the rate of its class, and sets the `x-ratelimit-*` headers. RATE_LIMITED where it exceeds
 * the rate. A class of `failureRules` counts against both its rules until the outcome is known.
 */
export type RateLimits = (rate: RateClass, requester: Requester, headers: Record<string, string>) => Promise<Counted>

/** The refusal of a caller who exceeds a rule: RATE_LIMITED. */
function refusalOf(name: string, rule: RateRule, { retryAfterSeconds }: Taken, now: Date, whose = '') {
  const { limit, windowSeconds, counts = 'requests' } = rule
  const at = new Date(Math.ceil(now.getTime() / 1_000 + retryAfterSeconds) * 1_000).toISOString().slice(0, 19)
  const allows = `The rate ${name} allows ${whose}${limit} ${counts} in ${windowSeconds} s.`
  const message = `${allows} Try again in ${retryAfterSeconds} s, at ${at}Z. RATE_RULES of the gateway sets the rate.`
  return new DomainError('RATE_LIMITED', message, { retryAfterSeconds })
}

/** What the rule counts a caller by: account, key or address, or the address where the caller lacks it. */
function countedBy({ per }: RateRule, requester: Requester): string {
  const own = requester[per]
  return own === undefined ? `address:${requester.address}` : `${per}:${own}`
}

/** Says in headers what is left of a rate. */
function show({ limit, remaining, resetAt }: Taken, prefix: string, headers: Record<string, string>): void {
  headers[`${prefix}-limit`] = String(limit)
  headers[`${prefix}-remaining`] = String(remaining)
  headers[`${prefix}-reset`] = String(Math.ceil(resetAt.getTime() / 1_000))
}

/** A rule, the key that it counts by, and whose it is, as refusals say it. */
type Budget = { rule: RateRule; key: string; whose: string }

/** What a request draws on: the budget of its account, and for a session with a grant first the part of all such sessions. */
function budgetsOf(rule: RateRule, requester: Requester): Budget[] {
  const own = { rule, key: countedBy(rule, requester), whose: '' }
  if (rule.per !== 'account' || requester.session !== 'granted') return [own]
  const shared = { ...rule, limit: grantedShare(rule.limit) }
  return [{ rule: shared, key: `granted:${requester.account}`, whose: 'all sessions with a grant together ' }, own]
}

const uncounted: Counted = { settle: async () => undefined, undo: async () => undefined }

export function createRateLimits({ limiter, rules, clock }: RateParts): RateLimits {
  /** Counts against one rule, and returns what takes it back. */
  async function count(
    name: keyof RateRules,
    rule: RateRule,
    requester: Requester,
    headers: Record<string, string>,
  ): Promise<() => Promise<void>> {
    const now = clock.now()
    const undos: (() => Promise<void>)[] = []
    const undo = async () => void (await Promise.all(undos.map((one) => one())))
    let least: Taken | null = null
    for (const { rule: bound, key, whose } of budgetsOf(rule, requester)) {
      const taken = await limiter.take(name, bound, key, now)
      if (least === null || taken.remaining < least.remaining) {
        least = taken
        show(taken, 'x-ratelimit', headers)
      }
      if (!taken.allowed) {
        await undo()
        throw refusalOf(name, bound, taken, now, whose)
      }
      undos.push(() => limiter.giveBack(name, bound, key, now))
    }
    return undo
  }

  return async (rate, requester, headers) => {
    if (rules === 'off') return uncounted
    const name = rate === 'node' ? tiers[requester.tier].rule : rate
    if (!(name in failureRules)) {
      const undo = await count(name, rules[name], requester, headers)
      return { settle: uncounted.settle, undo }
    }
    // Both rules are counted before the work, so that concurrent requests cannot exceed either.
    const failure = failureRules[name as keyof typeof failureRules]
    const undoFailure = await count(failure, rules[failure], requester, headers)
    const undoSuccess = await count(name, rules[name], requester, headers).catch(async (refusal: unknown) => {
      await undoFailure()
      throw refusal
    })
    return {
      undo: async () => void (await Promise.all([undoFailure(), undoSuccess()])),
      async settle(succeeded) {
        // A count that cannot be taken back stays: the response of the request must not depend on it.
        await (succeeded ? undoFailure() : undoSuccess()).catch(() => undefined)
        if (!succeeded) headers['x-ratelimit-remaining'] = String(Number(headers['x-ratelimit-remaining']) + 1)
      },
    }
  }
}

/** Counts the gas that one request uses. */
type Meter = { spent: (gas: number) => void; settle: () => Promise<void> }

/** Counts the work of requests whose cost is known only once they ran. Sets the `x-ratelimit-work-*` headers. */
export type WorkLimits = {
  /** Counts each million of gas, where a request uses that much. RATE_LIMITED where no work is left before. */
  work(requester: Requester, headers: Record<string, string>): Promise<Meter>
  /** Counts the units of a refused input. */
  refuse(requester: Requester, headers: Record<string, string>, units: number): Promise<void>
}

export const freeMeter: Meter = { spent: () => undefined, settle: async () => undefined }

export function createWorkLimits({ limiter, rules, clock }: RateParts): WorkLimits {
  if (rules === 'off') return { work: async () => freeMeter, refuse: async () => undefined }
  /** Counts units that were used, and shows what is left. */
  const charger = (requester: Requester, headers: Record<string, string>) => {
    const name = tiers[requester.tier].work
    const rule = rules[name]
    return async (units: number) => {
      const now = clock.now()
      const taken = await limiter.charge(name, rule, countedBy(rule, requester), now, units)
      show(taken, 'x-ratelimit-work', headers)
      return { taken, refusal: () => refusalOf(name, rule, taken, now) }
    }
  }
  const work: WorkLimits['work'] = async (requester, headers) => {
    const charge = charger(requester, headers)
    const { taken, refusal } = await charge(0)
    if (!taken.allowed) throw refusal()
    let gas = 0
    let isSettled = false
    const settle = async () => {
      const units = Math.floor(gas / 1_000_000)
      isSettled = true
      gas -= units * 1_000_000
      // The response of the request must not depend on it.
      if (units > 0) await charge(units).catch(() => undefined)
    }
    return {
      spent: (more) => {
        gas += more
        // Work may go on after its caller has left.
        if (isSettled) void settle()
      },
      settle,
    }
  }
  return {
    work,
    async refuse(requester, headers, units) {
      // The refusal must not depend on it.
      await charger(requester, headers)(units).catch(() => undefined)
    },
  }
}

import type { RateRule } from '../../contract/shared/limits.ts'
import type { Taken } from '../../domain/ports/limiter.ts'

/** How far below empty a bucket may fall, in full buckets: what runs at once is counted only once it ran. */
export const mostDebt = 10

/** Computes from a key's stored numbers what one more request at `time` (ms) leaves, and its result. */
export type Count = (before: readonly number[], rule: RateRule, time: number) => { after: number[]; taken: Taken }

function withoutTime(before: readonly number[], time: number): readonly number[] {
  const position = before.lastIndexOf(time)
  return position === -1 ? before : before.toSpliced(position, 1)
}

function withRequest([level = 0, at = 0]: readonly number[], { windowSeconds, burst, limit }: RateRule): number[] {
  const weight = windowSeconds * 1_000
  return [Math.min((burst ?? limit) * weight, level + weight), at]
}

/** Stores when each request was allowed, oldest first. */
const countWindow: Count = (before, rule, time) => {
  const windowMs = rule.windowSeconds * 1_000
  const firstInside = before.findIndex((at) => at > time - windowMs)
  const after = firstInside === -1 ? [] : before.slice(firstInside)
  const allowed = after.length < rule.limit
  if (allowed) after.push(time)
  // A changed rule may leave more times than its limit, so the one that has to expire is counted from the end.
  const freedBy = after[after.length - rule.limit] ?? time
  const counted = { allowed, count: after.length, newest: after.at(-1) ?? time, freedBy }
  return { after, taken: takenOfWindow(rule, counted, time) }
}

/** What a window holds after a request: how many, the newest, and the one whose end lets the next one in. */
type Counted = { allowed: boolean; count: number; newest: number; freedBy: number }

/** What the caller of a window learns. */
export function takenOfWindow(
  { limit, windowSeconds }: RateRule,
  { allowed, count, newest, freedBy }: Counted,
  time: number,
): Taken {
  const windowMs = windowSeconds * 1_000
  return {
    allowed,
    limit,
    remaining: Math.max(0, limit - count),
    resetAt: new Date(newest + windowMs),
    retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((freedBy + windowMs - time) / 1_000)),
  }
}

/**
 * Stores how full the bucket was, and when. A request costs as many parts as the window has milliseconds, and each
 * millisecond adds `limit` parts. Whole numbers throughout, so that waiting for `retryAfterSeconds` is always enough.
 */
const countBucket: Count = (before, rule, time) => {
  const bucket = bucketAt(before, rule, time)
  const allowed = bucket.present >= bucket.weight
  return drawn(bucket, allowed ? bucket.present - bucket.weight : bucket.present, allowed)
}

/** Counts one request: in a bucket where the rule has a burst, else in a sliding window. */
export const countOne: Count = (before, rule, time) =>
  rule.burst === undefined ? countWindow(before, rule, time) : countBucket(before, rule, time)

/** Counts units of a bucket that were used already. */
export function countUnits(units: number): Count {
  return (before, rule, time) => {
    const bucket = bucketAt(before, rule, time)
    const level = Math.max(-mostDebt * bucket.full, bucket.present - units * bucket.weight)
    return drawn(bucket, level, level >= bucket.weight)
  }
}

/** The stored numbers without one request that was counted at `time`. */
export function uncountOne(before: readonly number[], rule: RateRule, time: number): readonly number[] {
  return rule.burst === undefined ? withoutTime(before, time) : withRequest(before, rule)
}

type Bucket = { rule: RateRule; weight: number; full: number; present: number; time: number; at: number }

/** The bucket now: the parts of one unit, of a full bucket and of this one. A clock that was set back adds none. */
function bucketAt([level, stored]: readonly number[], rule: RateRule, time: number): Bucket {
  const weight = rule.windowSeconds * 1_000
  const full = fullOf(rule)
  const at = Math.max(time, stored ?? time)
  const present = Math.min(full, (level ?? full) + (at - (stored ?? at)) * rule.limit)
  return { rule, weight, full, present, time, at }
}

/** What is stored of a bucket with so many parts left, and what its caller learns. */
function drawn({ rule, time, at }: Bucket, level: number, allowed: boolean): ReturnType<Count> {
  return { after: [level, at], taken: takenOfBucket(rule, level, allowed, time) }
}

/** What the caller of a bucket with so many parts left learns. */
export function takenOfBucket(rule: RateRule, level: number, allowed: boolean, time: number): Taken {
  const weight = rule.windowSeconds * 1_000
  return {
    allowed,
    limit: rule.limit,
    remaining: Math.max(0, Math.floor(level / weight)),
    resetAt: new Date(time + Math.ceil((fullOf(rule) - level) / rule.limit)),
    retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((weight - level) / (rule.limit * 1_000))),
  }
}

/** The parts of a full bucket. */
export function fullOf({ burst, limit, windowSeconds }: RateRule): number {
  return (burst ?? limit) * windowSeconds * 1_000
}

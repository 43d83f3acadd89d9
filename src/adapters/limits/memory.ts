import type { RateRule } from '../../contract/shared/limits.ts'
import type { Limiter, Taken } from '../../domain/ports/limiter.ts'

/** Numbers stored over all keys. Beyond it the least recently used keys are removed. */
const defaultMemory = 500_000

/** How far below empty a bucket may fall, in full buckets: what runs at once is counted only once it ran. */
const mostDebt = 10

/** Computes from a key's stored numbers what one more request at `time` (ms) leaves, and its result. */
type Count = (before: readonly number[], rule: RateRule, time: number) => { after: number[]; taken: Taken }

/**
 * Rate limits counted in this process: a sliding window, so that no period as long as the window ever has more requests
 * than the limit, or a token bucket where the rule has a burst.
 */
export function createMemoryLimiter(maxRemembered = defaultMemory): Limiter {
  /** The stored numbers by rule and key, least recently used first. */
  const keys = new Map<string, readonly number[]>()
  let remembered = 0

  function forget(id: string, numbers: readonly number[]): void {
    if (keys.delete(id)) remembered -= numbers.length
  }

  function counted(ruleName: string, rule: RateRule, key: string, now: Date, count: Count): Taken {
    const id = `${ruleName} ${key}`
    const before = keys.get(id) ?? []
    const { after, taken } = count(before, rule, now.getTime())
    forget(id, before)
    keys.set(id, after)
    remembered += after.length
    while (remembered > maxRemembered && keys.size > 1) {
      const [oldest] = keys
      if (oldest !== undefined) forget(...oldest)
    }
    return taken
  }

  return {
    async take(ruleName, rule, key, now) {
      return counted(ruleName, rule, key, now, rule.burst === undefined ? countWindow : countBucket)
    },
    async charge(ruleName, rule, key, now, units) {
      return counted(ruleName, rule, key, now, (before, _, time) => {
        const bucket = bucketAt(before, rule, time)
        const level = Math.max(-mostDebt * bucket.full, bucket.present - units * bucket.weight)
        return drawn(bucket, level, level >= bucket.weight)
      })
    },
    async giveBack(ruleName, rule, key, at) {
      const id = `${ruleName} ${key}`
      const before = keys.get(id)
      if (before === undefined) return
      const after = rule.burst === undefined ? withoutTime(before, at.getTime()) : withRequest(before, rule)
      forget(id, before)
      keys.set(id, after)
      remembered += after.length
    },
  }
}

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
  return {
    after,
    taken: {
      allowed,
      limit: rule.limit,
      remaining: Math.max(0, rule.limit - after.length),
      resetAt: new Date((after.at(-1) ?? time) + windowMs),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((freedBy + windowMs - time) / 1_000)),
    },
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

type Bucket = { rule: RateRule; weight: number; full: number; present: number; time: number; at: number }

/** The bucket now: the parts of one unit, of a full bucket and of this one. A clock that was set back adds none. */
function bucketAt([level, stored]: readonly number[], rule: RateRule, time: number): Bucket {
  const weight = rule.windowSeconds * 1_000
  const full = (rule.burst ?? rule.limit) * weight
  const at = Math.max(time, stored ?? time)
  const present = Math.min(full, (level ?? full) + (at - (stored ?? at)) * rule.limit)
  return { rule, weight, full, present, time, at }
}

/** What is stored of a bucket with so many parts left, and what its caller learns. */
function drawn({ rule, weight, full, time, at }: Bucket, level: number, allowed: boolean): ReturnType<Count> {
  return {
    after: [level, at],
    taken: {
      allowed,
      limit: rule.limit,
      remaining: Math.max(0, Math.floor(level / weight)),
      resetAt: new Date(time + Math.ceil((full - level) / rule.limit)),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((weight - level) / (rule.limit * 1_000))),
    },
  }
}

import type { RateRule } from '../../contract/shared/limits.ts'
import type { Limiter, Taken } from '../../domain/ports/limiter.ts'

/** Numbers stored over all keys. Beyond it the least recently used keys are removed. */
const defaultMemory = 500_000

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

  return {
    async take(ruleName, rule, key, now) {
      const id = `${ruleName} ${key}`
      const before = keys.get(id) ?? []
      const count = rule.burst === undefined ? countWindow : countBucket
      const { after, taken } = count(before, rule, now.getTime())
      forget(id, before)
      keys.set(id, after)
      remembered += after.length
      while (remembered > maxRemembered && keys.size > 1) {
        const [oldest] = keys
        if (oldest !== undefined) forget(...oldest)
      }
      return taken
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
  const weight = rule.windowSeconds * 1_000
  const full = (rule.burst ?? rule.limit) * weight
  const [level = full, at = time] = before
  const present = Math.min(full, level + Math.max(0, time - at) * rule.limit)
  const allowed = present >= weight
  const remaining = allowed ? present - weight : present
  return {
    after: [remaining, Math.max(time, at)],
    taken: {
      allowed,
      limit: rule.limit,
      remaining: Math.floor(remaining / weight),
      resetAt: new Date(time + Math.ceil((full - remaining) / rule.limit)),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((weight - present) / (rule.limit * 1_000))),
    },
  }
}

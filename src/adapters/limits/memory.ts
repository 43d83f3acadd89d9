import type { Limiter } from '../../domain/ports/limiter.ts'

/** Requests remembered over all keys; beyond it the keys that were used longest ago are forgotten. */
const defaultMemory = 500_000

/**
 * Rate limits counted in this process by a sliding window: it remembers when each request of a key was allowed, so
 * that no stretch of time as long as the window ever holds more than the limit.
 */
export function createMemoryLimiter(maxRemembered = defaultMemory): Limiter {
  /** Allowed times by key, oldest first; the order of the map is the order of use. */
  const keys = new Map<string, number[]>()
  let remembered = 0

  function forget(id: string, times: number[]): void {
    if (keys.delete(id)) remembered -= times.length
  }

  return {
    take(ruleName, rule, key, now) {
      const id = `${ruleName} ${key}`
      const time = now.getTime()
      const windowMs = rule.windowSeconds * 1_000
      const before = keys.get(id) ?? []
      forget(id, before)
      const firstInside = before.findIndex((at) => at > time - windowMs)
      const times = firstInside === -1 ? [] : before.slice(firstInside)
      const allowed = times.length < rule.limit
      if (allowed) times.push(time)
      keys.set(id, times)
      remembered += times.length
      while (remembered > maxRemembered && keys.size > 1) {
        const [oldest] = keys
        if (oldest !== undefined) forget(...oldest)
      }
      // A changed rule may leave more times than its limit: the one that frees a place is counted from the end.
      const freedBy = times[times.length - rule.limit] ?? time
      return {
        allowed,
        limit: rule.limit,
        remaining: Math.max(0, rule.limit - times.length),
        resetAt: new Date((times.at(-1) ?? time) + windowMs),
        retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((freedBy + windowMs - time) / 1_000)),
      }
    },
  }
}

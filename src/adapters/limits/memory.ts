import type { RateRule } from '../../contract/shared/limits.ts'
import type { Limiter, Taken } from '../../domain/ports/limiter.ts'
import { type Count, countOne, countUnits, uncountOne } from './counts.ts'

/** Numbers stored over all keys. Beyond it the least recently used keys are removed. */
const defaultMemory = 500_000

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
      return counted(ruleName, rule, key, now, countOne)
    },
    async charge(ruleName, rule, key, now, units) {
      return counted(ruleName, rule, key, now, countUnits(units))
    },
    async giveBack(ruleName, rule, key, at) {
      const id = `${ruleName} ${key}`
      const before = keys.get(id)
      if (before === undefined) return
      const after = uncountOne(before, rule, at.getTime())
      forget(id, before)
      keys.set(id, after)
      remembered += after.length
    },
  }
}

import type { RateRule } from '../../contract/shared/limits.ts'
import type { Limiter, Taken } from '../../domain/ports/limiter.ts'

/** The place of this process among those that live, from 0, and how many they are. */
export type Share = { place: number; of: number }

/**
 * Gives this process its part of every rule. The parts of all processes add up to the rule, but no part is below one. With
 * one process nothing changes.
 */
export function createDividedLimiter(limiter: Limiter, share: () => Share): Limiter {
  const part = (rule: RateRule): RateRule => {
    const { place, of } = share()
    if (of <= 1) return rule
    const { limit, burst } = rule
    return {
      ...rule,
      limit: partOf(limit, place, of),
      ...(burst === undefined ? {} : { burst: partOf(burst, place, of) }),
    }
  }
  // Callers know the whole rule.
  const whole = (taken: Taken, { limit }: RateRule): Taken => ({ ...taken, limit })
  return {
    take: async (name, rule, key, now) => whole(await limiter.take(name, part(rule), key, now), rule),
    charge: async (name, rule, key, now, units) => whole(await limiter.charge(name, part(rule), key, now, units), rule),
    giveBack: async (name, rule, key, at) => await limiter.giveBack(name, part(rule), key, at),
  }
}

function partOf(count: number, place: number, of: number): number {
  return Math.max(1, Math.floor(count / of) + (place < count % of ? 1 : 0))
}

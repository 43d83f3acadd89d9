import type { Limiter } from '../../domain/ports/limiter.ts'
import { RedisAway } from '../redis/connection.ts'

/** Counts by the first limiter, which is over Redis, and by the second one while it is away. */
export function createEitherLimiter(first: Limiter, second: Limiter, isAway: () => boolean): Limiter {
  const orSecond = async <T>(act: (limiter: Limiter) => Promise<T>): Promise<T> => {
    if (isAway()) return await act(second)
    try {
      return await act(first)
    } catch (failure) {
      if (!(failure instanceof RedisAway)) throw failure
      return await act(second)
    }
  }
  return {
    take: async (...request) => await orSecond((limiter) => limiter.take(...request)),
    charge: async (...request) => await orSecond((limiter) => limiter.charge(...request)),
    giveBack: async (...request) => await orSecond((limiter) => limiter.giveBack(...request)),
  }
}

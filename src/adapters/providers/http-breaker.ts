/** Keeps a provider that fails from being asked at all for a while. Times are milliseconds of one steady clock. */
export type Breaker = {
  /** Milliseconds that the provider is still to be left alone; 0 lets this one ask. */
  enter(now: number): number
  succeeded(): void
  failed(now: number): void
  /** The provider asked to be left alone until then. */
  limit(until: number): void
}

/**
 * Makes a breaker: after so many failures in a row nobody asks for the time of rest, then one caller tries it for all.
 * What the provider itself asks for holds whatever else succeeds.
 */
export function createBreaker({ failures: most, restMs }: { failures: number; restMs: number }): Breaker {
  let failures = 0
  let openUntil = 0
  let limitedUntil = 0
  return {
    enter(now) {
      const wait = Math.max(openUntil, limitedUntil) - now
      if (wait > 0) return wait
      if (failures >= most) openUntil = now + restMs // this caller tries; the others wait for what it finds
      return 0
    },
    succeeded() {
      failures = 0
      openUntil = 0
    },
    failed(now) {
      failures += 1
      if (failures >= most) openUntil = now + restMs
    },
    limit(until) {
      limitedUntil = Math.max(limitedUntil, until)
    },
  }
}

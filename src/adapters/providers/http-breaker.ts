/** Why nobody asks a provider, and for how many seconds: it failed too often, or wants it so. */
export type Rest = { reason: 'failures' | 'asked'; seconds: number }

/** Keeps a provider that fails from being asked at all for a while. Times are milliseconds of one steady clock. */
export type Breaker = {
  /** Milliseconds that the provider is still to be left alone; 0 lets this one ask. */
  enter(now: number): number
  succeeded(): void
  failed(now: number): void
  /** The provider asked to be left alone for so long. */
  limit(now: number, waitMs: number): void
}

/**
 * Makes a breaker: after so many failures in a row nobody asks for the time of rest, then one caller tries it for all.
 * What the provider itself asks for holds whatever else succeeds. `rests` hears of each rest as it begins,
 * once: what fails meanwhile, the try for all too, only prolongs it.
 */
export function createBreaker(
  { failures: most, restMs }: { failures: number; restMs: number },
  rests: (rest: Rest) => void = () => undefined,
): Breaker {
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
      if (failures < most) return
      const begins = openUntil <= now
      openUntil = now + restMs
      if (begins) rests({ reason: 'failures', seconds: restMs / 1_000 })
    },
    limit(now, waitMs) {
      const begins = limitedUntil <= now
      limitedUntil = Math.max(limitedUntil, now + waitMs)
      if (begins) rests({ reason: 'asked', seconds: waitMs / 1_000 })
    },
  }
}

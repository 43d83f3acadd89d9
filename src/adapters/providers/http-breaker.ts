/** A pause of all requests to a provider: because it failed too often, or because it requested the pause. */
export type Rest = { reason: 'failures' | 'requested'; seconds: number }

/** Pauses all requests to a provider that fails. Times are milliseconds of one monotonic clock. */
type Breaker = {
  /** The milliseconds until the pause ends; 0 lets this request pass. */
  enter(now: number): number
  succeeded(): void
  failed(now: number): void
  /** The provider requested a pause. */
  limit(now: number, waitMs: number): void
  /** Another process pauses for so long. */
  adopt(now: number, waitMs: number): void
}

/**
 * Creates a breaker: after `failures` in a row all requests pause for `restMs`, then one request tests the provider for
 * all. A pause that the provider requested holds even where a request succeeds. `rests` is called once as each pause
 * begins; failures meanwhile, of the test too, only extend it.
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
      if (failures >= most) openUntil = now + restMs // this request tests the provider; the others wait for its outcome
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
      if (begins) rests({ reason: 'requested', seconds: waitMs / 1_000 })
    },
    adopt(now, waitMs) {
      limitedUntil = Math.max(limitedUntil, now + waitMs)
    },
  }
}

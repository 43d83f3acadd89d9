import { setTimeout as sleep } from 'node:timers/promises'

/** How fast a node is called: at once, until it says that it limits its rate. */
export type Pace = {
  /** Waits for the turn of a call. */
  turn(signal: AbortSignal): Promise<void>
  /** How long the next call would wait, in milliseconds. */
  waitMs(): number
  /** How many milliseconds lie between two calls at least; 0 unless its node limits its rate. */
  gapMs(): number
  /** Slows down where the refused call began after the last time, and stops for as long as the node asked for. */
  limited(began: number, retryAfterMs: number): void
  /** Notes a call that the node took: the pace rises again, slowly. */
  served(): void
}

/** Milliseconds between two calls after the first refusal, and at most. */
const gap = { first: 25, most: 1_000 }
const longestStopMs = 30_000
/** So long after the last refusal the limit counts as over. */
const overAfterMs = 1_000

/** Creates the pace of one node. A node that refuses a tenth of the calls settles at about 30 calls a second. */
export function createPace(): Pace {
  let gapMs = 0
  let nextAt = 0
  let limitedAt = -Infinity
  let slowedAt = -Infinity
  return {
    async turn(signal) {
      const now = performance.now()
      const at = Math.max(now, nextAt)
      if (gapMs > 0) nextAt = at + gapMs
      if (at > now) await sleep(at - now, undefined, { signal })
    },
    waitMs: () => Math.max(0, nextAt - performance.now()),
    gapMs: () => gapMs,
    limited(began, retryAfterMs) {
      limitedAt = performance.now()
      // Calls that were on their way together are refused together.
      if (began >= slowedAt) {
        gapMs = Math.min(gap.most, Math.max(gap.first, gapMs * 2))
        slowedAt = limitedAt
      }
      nextAt = Math.max(nextAt, limitedAt + Math.min(longestStopMs, Math.max(gapMs, retryAfterMs)))
    },
    served() {
      // Twice as fast each time once the limit is over, so that what was missed is caught up soon.
      const isOver = performance.now() - limitedAt > overAfterMs
      gapMs = gapMs < gap.first / 4 ? 0 : gapMs * (isOver ? 0.5 : 0.9)
    },
  }
}

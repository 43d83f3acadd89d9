/**
 * What a node is not to be called for, until when: one method, or every one. Times are of `performance.now()`.
 */
export type Rests = {
  /** Ends the rest of the method, and that of the whole node. */
  answered(method: string): void
  /** Notes a failure of a call that began at `began`: of the method alone where the node answered others since. */
  failed(method: string, began: number, kind: 'refused' | 'silent'): void
  /** Notes that it lacks a block that exists, by a call that began at `began`. */
  lacked(began: number): void
  /** Whether the whole node rests, after how many failures in a row. */
  whole(): { rests: boolean; failures: number }
  /** Whether the node has failed at this method and not shown since that it serves it again. */
  fails(method: string): boolean
  /** Every method of which `fails` is true. */
  failing(): string[]
  /** Whether the time has come to try such a method again. */
  isDue(method: string): boolean
  /** Lets the method rest for as long again, while it is tried. */
  postpone(method: string): void
  /** Whether it lacked a block a moment ago. */
  isBehind(): boolean
}

/** `at` is the time of the failure that made it begin, or last longer. */
type Rest = { until: number; times: number; at: number; silent?: boolean }

/** Milliseconds of the first rest and of the longest; each next one is twice as long. */
const lengths = {
  refused: { first: 500, most: 30_000 },
  /** Each call of a node that hangs costs its caller time, so it is called least. */
  silent: { first: 30_000, most: 30_000 },
  method: { first: 5_000, most: 300_000 },
  behind: { first: 2_000, most: 60_000 },
} as const

/** Creates the memory of one node. */
export function createRests(): Rests {
  const methods = new Map<string, Rest>()
  let all: Rest | null = null
  let behind: Rest | null = null
  let answeredAt = -Infinity

  function longer(rest: Rest | null | undefined, { first, most }: { first: number; most: number }): Rest {
    const times = (rest?.times ?? 0) + 1
    const at = performance.now()
    return { times, at, until: at + Math.min(most, first * 2 ** (times - 1)) }
  }

  /** Calls that were on their way together fail together, which counts once; silence counts for more than a refusal. */
  function isNews(rest: Rest | null | undefined, began: number, isSilent: boolean): boolean {
    return rest == null || rest.at <= began || (isSilent && rest.silent !== true)
  }

  return {
    answered(method) {
      answeredAt = performance.now()
      methods.delete(method)
      all = null
    },
    failed(method, began, kind) {
      const silent = kind === 'silent'
      const own = methods.get(method)
      if (isNews(own, began, silent)) methods.set(method, { ...longer(own, lengths.method), silent })
      if (answeredAt >= began || !isNews(all, began, silent)) return
      all = { ...longer(all, lengths[kind]), silent }
      if (silent) all.times += 1
    },
    lacked(began) {
      if (!isNews(behind, began, false)) return
      // One that has had every block for a long time begins anew.
      const isRecent = behind !== null && performance.now() - behind.until < lengths.behind.most
      behind = longer(isRecent ? behind : null, lengths.behind)
    },
    whole: () => ({ rests: all !== null && all.until > performance.now(), failures: all?.times ?? 0 }),
    fails: (method) => methods.has(method),
    failing: () => [...methods.keys()],
    postpone(method) {
      methods.set(method, longer(methods.get(method), lengths.method))
    },
    isDue: (method) => (methods.get(method)?.until ?? Infinity) <= performance.now(),
    isBehind: () => behind !== null && behind.until > performance.now(),
  }
}

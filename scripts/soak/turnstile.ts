/** What everything passes that must come to rest now and then. */
export type Turnstile = {
  /** Does the work, once nothing keeps it from passing. */
  pass<T>(work: () => Promise<T>): Promise<T>
  /** Lets nothing pass any more, does the work when all that is under way has ended, and lets all go on. */
  atRest<T>(work: () => Promise<T>): Promise<T>
}

/** Makes an open one; only one may bring all to rest at a time. */
export function createTurnstile(): Turnstile {
  const underWay = new Set<Promise<unknown>>()
  let rest: Promise<void> | null = null
  return {
    async pass(work) {
      while (rest !== null) await rest
      const passing = work()
      underWay.add(passing)
      try {
        return await passing
      } finally {
        underWay.delete(passing)
      }
    },
    async atRest(work) {
      const { promise, resolve } = Promise.withResolvers<void>()
      rest = promise
      try {
        while (underWay.size > 0) await Promise.allSettled(underWay)
        return await work()
      } finally {
        rest = null
        resolve()
      }
    },
  }
}

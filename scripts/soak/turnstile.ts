/** A gate for all work that must pause at times. */
export type Turnstile = {
  /** Runs the work once the gate is open. */
  pass<T>(work: () => Promise<T>): Promise<T>
  /** Closes the gate, waits for the running work, runs this work, and opens the gate again. */
  atRest<T>(work: () => Promise<T>): Promise<T>
}

/** Creates an open gate; only one caller may close it at a time. */
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

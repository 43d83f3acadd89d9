/** Runs the work of each key one after the other, and different keys side by side. */
export type Lanes = {
  run<T>(key: string, work: () => Promise<T>): Promise<T>
  /** Settles when nothing is running any more. */
  idle(): Promise<void>
}

export function createLanes(): Lanes {
  const tails = new Map<string, Promise<unknown>>()
  return {
    run(key, work) {
      const done = (tails.get(key) ?? Promise.resolve()).then(work, work)
      const tail = done
        .catch(() => {})
        .then(() => {
          if (tails.get(key) === tail) tails.delete(key)
        })
      tails.set(key, tail)
      return done
    },
    async idle() {
      while (tails.size > 0) await Promise.all(tails.values())
    },
  }
}

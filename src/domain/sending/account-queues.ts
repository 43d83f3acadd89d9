/** Runs the work of each account one after the other, and the work of different accounts concurrently. */
export type AccountQueues = {
  run<T>(account: string, work: () => Promise<T>): Promise<T>
  /** Settles when no work is running or queued. */
  idle(): Promise<void>
}

export function createAccountQueues(): AccountQueues {
  const tails = new Map<string, Promise<unknown>>()
  return {
    run(account, work) {
      const done = (tails.get(account) ?? Promise.resolve()).then(work, work)
      const tail = done
        .catch(() => {})
        .then(() => {
          if (tails.get(account) === tail) tails.delete(account)
        })
      tails.set(account, tail)
      return done
    },
    async idle() {
      while (tails.size > 0) await Promise.all(tails.values())
    },
  }
}

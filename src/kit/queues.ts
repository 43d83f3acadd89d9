/** Runs one piece of work at a time, in the order of the calls. */
export type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>

export function serialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const run = last.then(work, work)
    last = run.catch(() => {})
    return run
  }
}

/**
 * Creates a function that runs work inside a queue. All work that arrives before its turn shares that turn, so that any
 * number of callers delays the queue only once.
 */
export function sharedTurns(queue: SerialQueue): SerialQueue {
  let waiting: (() => Promise<unknown>)[] = []
  async function turn(): Promise<void> {
    const all = waiting
    waiting = []
    await Promise.allSettled(all.map((work) => work()))
  }
  return <T>(work: () => Promise<T>) => {
    const { promise, resolve } = Promise.withResolvers<T>()
    waiting.push(() => {
      const done = work()
      resolve(done)
      return done
    })
    if (waiting.length === 1) void queue(turn)
    return promise
  }
}

/** A serial queue for each name, which exists while it has work. */
export type SerialQueues = {
  run<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Settles when no work is running or queued. */
  idle(): Promise<void>
}

export function serialQueues(): SerialQueues {
  const tails = new Map<string, Promise<unknown>>()
  return {
    run(name, work) {
      const done = (tails.get(name) ?? Promise.resolve()).then(work, work)
      const tail = done
        .catch(() => {})
        .then(() => {
          if (tails.get(name) === tail) tails.delete(name)
        })
      tails.set(name, tail)
      return done
    },
    async idle() {
      while (tails.size > 0) await Promise.all(tails.values())
    },
  }
}

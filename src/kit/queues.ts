/** Creates a queue: a function that runs one piece of work at a time, in the order of the calls. */
export function serialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
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
export function sharedTurns(queue: ReturnType<typeof serialQueue>): <T>(work: () => Promise<T>) => Promise<T> {
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

/** Like `serialQueue`, with one queue for each name. Idle queues are removed. */
export function serialQueues(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, { run: ReturnType<typeof serialQueue>; users: number }>()
  return async (name, work) => {
    const queue = queues.get(name) ?? { run: serialQueue(), users: 0 }
    queues.set(name, queue)
    queue.users += 1
    try {
      return await queue.run(work)
    } finally {
      queue.users -= 1
      if (queue.users === 0) queues.delete(name)
    }
  }
}

/** A queue that runs one piece of work at a time and takes turns between names. */
type FairQueue = {
  /** Runs work when its turn comes: in the order of the calls under a name, and in rotation between names. */
  run: <T>(name: string, work: () => Promise<T>) => Promise<T>
  /** How many wait under a name, without the running one. */
  waiting: (name: string) => number
  /** How many wait in all, without the running one. */
  all: () => number
}

/** Creates an empty queue. */
export function fairQueue(): FairQueue {
  /** Work by name, in the order of the turns. */
  const queues = new Map<string, (() => Promise<void>)[]>()
  let running = false

  function next(): (() => Promise<void>) | undefined {
    for (const [name, [first, ...others]] of queues) {
      queues.delete(name)
      if (others.length > 0) queues.set(name, others)
      return first
    }
    return undefined
  }

  async function runAll(): Promise<void> {
    if (running) return
    running = true
    for (let turn = next(); turn !== undefined; turn = next()) await turn()
    running = false
  }

  return {
    run: (name, work) =>
      new Promise((resolve, reject) => {
        const turn = async () => await work().then(resolve, reject)
        queues.set(name, [...(queues.get(name) ?? []), turn])
        void runAll()
      }),
    waiting: (name) => queues.get(name)?.length ?? 0,
    all: () => [...queues.values()].reduce((sum, queue) => sum + queue.length, 0),
  }
}

/** Runs what it is given one after another, where whoever waits takes turns. */
export type FairLane = {
  /** Runs work in its turn: that of one name in the order of the calls, and none twice while another one waits. */
  run: <T>(name: string, work: () => Promise<T>) => Promise<T>
  /** How much waits under a name, and how much in all, beside what is running. */
  waiting: (name: string) => number
  all: () => number
}

/** Makes such a lane; a name is known while something waits under it. */
export function fairLane(): FairLane {
  /** In the order of their turns. */
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

  async function takeTurns(): Promise<void> {
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
        void takeTurns()
      }),
    waiting: (name) => queues.get(name)?.length ?? 0,
    all: () => [...queues.values()].reduce((sum, queue) => sum + queue.length, 0),
  }
}

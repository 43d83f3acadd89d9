/** Makes a function that runs what it is given one after another, in the order of the calls. */
export function exclusiveLane(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const run = last.then(work, work)
    last = run.catch(() => {})
    return run
  }
}

/**
 * Makes a function that runs what it is given in a turn of the lane which all share that came before it began: however
 * many come, they hold the lane up once.
 */
export function inSharedTurns(lane: ReturnType<typeof exclusiveLane>): <T>(work: () => Promise<T>) => Promise<T> {
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
    if (waiting.length === 1) void lane(turn)
    return promise
  }
}

/** As `exclusiveLane`, with a lane for each name; one that is idle is forgotten. */
export function exclusiveLanes(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const lanes = new Map<string, { run: ReturnType<typeof exclusiveLane>; users: number }>()
  return async (name, work) => {
    const lane = lanes.get(name) ?? { run: exclusiveLane(), users: 0 }
    lanes.set(name, lane)
    lane.users += 1
    try {
      return await lane.run(work)
    } finally {
      lane.users -= 1
      if (lane.users === 0) lanes.delete(name)
    }
  }
}

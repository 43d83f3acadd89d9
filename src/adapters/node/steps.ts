/** Runs a step on request and at intervals; never two at a time. */
type Steps = {
  /** Settles with a step that started after this call. */
  begin(): Promise<void>
  /** Settles with the step that is running, or with a new one where none is. */
  last(): Promise<void>
  /** Starts one after an interval, unless one starts before. */
  beginIn(milliseconds: number): void
  /** Waits for the running step, and starts no more. */
  close(): Promise<void>
}

type Pace = {
  /** Milliseconds until the next step, where nothing requests one. */
  everyMs: () => number
  /** The same after a failure, unless `everyMs` is less. */
  retryMs: number
}

/** Creates the steps. After a failure the next one starts sooner. */
export function createSteps(step: () => Promise<void>, pace: Pace): Steps {
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let closed = false

  function beginIn(milliseconds: number): void {
    clearTimeout(timer)
    if (!closed) timer = setTimeout(() => void begin(), milliseconds)
  }

  async function run(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    try {
      await step()
      if (timer === undefined) beginIn(pace.everyMs()) // unless the step has asked for the next one itself
    } catch (failure) {
      beginIn(Math.min(pace.retryMs, pace.everyMs()))
      throw failure
    }
  }

  function start(): Promise<void> {
    const started = run()
    running = started
    const done = () => {
      if (running === started) running = null
    }
    started.then(done, done)
    return started
  }

  function begin(): Promise<void> {
    if (closed) return Promise.resolve()
    if (next !== null) return next
    if (running === null) return start()
    // The running step may have read before this call's reason; all callers meanwhile share the next one.
    const then = () => {
      next = null
      return closed ? Promise.resolve() : start()
    }
    next = running.then(then, then)
    next.catch(() => undefined)
    return next
  }

  beginIn(pace.everyMs())
  return {
    begin,
    last: () => next ?? running ?? begin(),
    beginIn,
    async close() {
      closed = true
      clearTimeout(timer)
      await Promise.allSettled([next, running])
    },
  }
}

/** Background tasks whose results no caller waits for. */
export type KeyedTasks = {
  /** Runs the task soon. While a task of this key is running, the newest one is kept and runs once after it. */
  schedule(key: string, task: () => Promise<void>): void
  /** Starts no further task, and settles once none is running. */
  close(): Promise<void>
}

/**
 * Runs the tasks of each key one after the other, and of at most `limit` keys concurrently, in the order they were
 * scheduled: a slow key delays only itself, until `limit` keys are slow. Failures go to `failed`.
 */
export function createKeyedTasks(limit: number, failed: (failure: unknown) => void): KeyedTasks {
  const waiting = new Map<string, () => Promise<void>>()
  const running = new Map<string, Promise<void>>()
  let closed = false

  function startNext(): void {
    for (const [key, task] of waiting) {
      if (running.size >= limit) return
      if (running.has(key)) continue
      waiting.delete(key)
      const done = task()
        .catch(failed)
        .finally(() => {
          running.delete(key)
          startNext()
        })
      running.set(key, done)
    }
  }

  return {
    schedule(key, task) {
      if (closed) return
      waiting.set(key, task)
      startNext()
    },
    async close() {
      closed = true
      waiting.clear()
      await Promise.all(running.values())
    },
  }
}

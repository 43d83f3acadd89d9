/** Work that nobody waits for. */
export type Background = {
  /** Has the work done soon; where the key is at work already, once more after that. Only the newest work of a key counts. */
  ask(key: string, work: () => Promise<void>): void
  /** Begins nothing any more, and settles once nothing is running. */
  close(): Promise<void>
}

/**
 * Does the work of each key one after the other and of `most` keys side by side, in the order they were asked for: a key
 * whose work is slow delays itself alone, until so many are slow. What fails is told to `failed`.
 */
export function createBackground(most: number, failed: (failure: unknown) => void): Background {
  const waiting = new Map<string, () => Promise<void>>()
  const running = new Map<string, Promise<void>>()
  let closed = false

  function next(): void {
    for (const [key, work] of waiting) {
      if (running.size >= most) return
      if (running.has(key)) continue
      waiting.delete(key)
      const done = work()
        .catch(failed)
        .finally(() => {
          running.delete(key)
          next()
        })
      running.set(key, done)
    }
  }

  return {
    ask(key, work) {
      if (closed) return
      waiting.set(key, work)
      next()
    },
    async close() {
      closed = true
      waiting.clear()
      await Promise.all(running.values())
    },
  }
}

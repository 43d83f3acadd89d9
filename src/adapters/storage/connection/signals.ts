/** Notifications by topic inside one process. Changes of other processes are found by polling. */
export type Signals = {
  notify(topic: string): void
  /** Returns a function that removes the listener. */
  listen(topic: string, listener: () => void): () => void
}

export function createSignals(): Signals {
  const topics = new Map<string, Set<() => void>>()
  return {
    notify(topic) {
      for (const listener of [...(topics.get(topic) ?? [])]) listener()
    },
    listen(topic, listener) {
      const listeners = topics.get(topic) ?? new Set()
      const entry = () => listener() // the same function may listen twice, and each is removed separately
      topics.set(topic, listeners.add(entry))
      return () => {
        listeners.delete(entry)
        if (listeners.size === 0 && topics.get(topic) === listeners) topics.delete(topic)
      }
    },
  }
}

/**
 * Waits for one of the topics, for at most so many milliseconds (no limit where null), or until the signal aborts. A
 * notification between two waits ends the next one at once.
 */
export function createWaiter(signals: Signals, topics: readonly string[], signal: AbortSignal) {
  let notified = signal.aborted
  let resume = () => {}
  const notify = () => {
    notified = true
    resume()
  }
  const listening = topics.map((topic) => signals.listen(topic, notify))
  signal.addEventListener('abort', notify)
  return {
    async wait(milliseconds: number | null): Promise<void> {
      if (!notified) {
        await new Promise<void>((resolve) => {
          const timer = milliseconds === null ? undefined : setTimeout(resolve, milliseconds)
          resume = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      notified = false
    },
    close() {
      for (const unlisten of listening) unlisten()
      signal.removeEventListener('abort', notify)
    },
  }
}

/** Milliseconds after which a reader reads again, because another process may have written. */
const pollMs = 500

/** Settles at the next notification of the topic, when the next poll is due, or when the signal aborts. */
export async function nextChange(signals: Signals, topic: string, signal: AbortSignal): Promise<void> {
  const waiter = createWaiter(signals, [topic], signal)
  await waiter.wait(pollMs).finally(() => waiter.close())
}

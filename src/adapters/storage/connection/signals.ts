/** Notifications by topic within one process. Changes by other processes are found by polling. */
export type Signals = {
  notify(topic: string): void
  /** Returns the function that stops listening. */
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
      const entry = () => listener() // the same function may listen twice, and each must stop separately
      topics.set(topic, listeners.add(entry))
      return () => {
        listeners.delete(entry)
        if (listeners.size === 0 && topics.get(topic) === listeners) topics.delete(topic)
      }
    },
  }
}

import { AsyncResource } from 'node:async_hooks'

/** How a listener is called: by this process, whose notification is true, or by a hint to look at the table. */
export type Heard = 'told' | 'hint'

/** Notifications by topic. The other processes of a PostgreSQL get them as hints, which can be late, early or lost. */
export type Signals = {
  notify(topic: string): void
  /** Wakes the listeners of this process alone, which then look at the table. */
  hint(topic: string): void
  /** Wakes every listener of this process once within half a second, for hints may have been lost. */
  hintAll(): void
  /** Returns a function that removes the listener. */
  listen(topic: string, listener: (heard: Heard) => void): () => void
}

/** So many parts of a lost time are made up one after another, that the table is not asked for everything at once. */
const [parts, partMs] = [20, 25]

/** `tell` passes a topic on to other processes. */
export function createSignals(tell: (topic: string) => void = () => undefined): Signals {
  const topics = new Map<string, Set<(heard: Heard) => void>>()
  const wake = (topic: string, heard: Heard) => {
    for (const listener of [...(topics.get(topic) ?? [])]) listener(heard)
  }
  return {
    notify(topic) {
      wake(topic, 'told')
      tell(topic)
    },
    hint: (topic) => wake(topic, 'hint'),
    hintAll() {
      for (const [index, topic] of [...topics.keys()].entries())
        setTimeout(() => wake(topic, 'hint'), (index % parts) * partMs).unref()
    },
    listen(topic, listener) {
      const listeners = topics.get(topic) ?? new Set()
      // The same function may listen twice, and each is removed separately. What it does belongs to the listener: the lease
      // of the work that notifies must not cover it.
      const entry = AsyncResource.bind((heard: Heard) => listener(heard))
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

/** Milliseconds after which a reader reads again, because the hint of another process may be lost. */
const pollMs = 500

/** Settles at the next notification of the topic, when the next poll is due, or when the signal aborts. */
export async function nextChange(signals: Signals, topic: string, signal: AbortSignal): Promise<void> {
  const waiter = createWaiter(signals, [topic], signal)
  await waiter.wait(pollMs).finally(() => waiter.close())
}

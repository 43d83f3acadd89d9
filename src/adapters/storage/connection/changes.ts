import type { Database } from './database.ts'

/** Milliseconds between polls, because another process may have written. */
const pollMs = 500

/** Settles at the topic's next notification in this process, when the poll is due, or when the signal aborts. */
export function nextChange(database: Database, topic: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      unlisten()
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, pollMs)
    const unlisten = database.signals.listen(topic, finish)
    signal.addEventListener('abort', finish)
    if (signal.aborted) finish()
  })
}

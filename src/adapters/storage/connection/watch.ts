import type { Database } from './database.ts'

/** Notifies listeners once of an event by the id of its object, whichever process caused it. */
type Watch = {
  /** Reports that this process caused the event. */
  notify(id: string): void
  /** Calls the listener at most once. Returns a function that removes it. */
  listen(id: string, listener: () => void): () => void
}

/**
 * Combines signals inside the process with looks at the table, after a hint of another process and in a slow poll, because
 * hints can be lost; with SQLite there are no others, so that it looks once. It polls for each listener, only while there is
 * one, and never keeps the process running. A failed look is repeated at the next interval.
 */
export function createWatch(
  { dialect, signals }: Pick<Database, 'dialect' | 'signals'>,
  topic: string,
  happened: (id: string) => Promise<boolean>,
  pollMs: number,
): Watch {
  return {
    notify: (id) => signals.notify(`${topic}:${id}`),
    listen(id, listener) {
      const fire = () => {
        stop()
        listener()
      }
      const poll = () => {
        happened(id).then(
          (yes) => {
            if (yes && !stopped) fire()
          },
          () => {},
        )
      }
      let stopped = false
      const timer = dialect === 'sqlite' ? undefined : setInterval(poll, pollMs).unref()
      const unlisten = signals.listen(`${topic}:${id}`, (heard) => (heard === 'told' ? fire() : poll()))
      // The event may have come between the caller's own check and this call.
      poll()
      const stop = () => {
        stopped = true
        clearInterval(timer)
        unlisten()
      }
      return stop
    },
  }
}

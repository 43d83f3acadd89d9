import type { Database } from './database.ts'

/** Notifies listeners once about a change of a named thing, by any process. */
export type Watch = {
  /** This process made the change. */
  notify(id: string): void
  /** Calls back at most once; returns the function that stops listening. */
  listen(id: string, listener: () => void): () => void
}

/**
 * Combines notifications within the process with a slow poll for changes by other processes. It polls only while there
 * are listeners, does not keep the process alive, and tries a failed poll again.
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
      const unlisten = signals.listen(`${topic}:${id}`, fire)
      const stop = () => {
        stopped = true
        clearInterval(timer)
        unlisten()
      }
      return stop
    },
  }
}

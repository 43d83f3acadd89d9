import type { Database } from './database.ts'

/** Tells listeners once that something happened to the thing they named, whichever process did it. */
export type Watch = {
  /** This process did it. */
  notify(id: string): void
  /** Fires at most once; answers the function that stops listening. */
  listen(id: string, listener: () => void): () => void
}

/**
 * Joins wake-ups inside the process with a slow poll of what others did, which SQLite has none of. It polls only while
 * somebody listens, each listener for its own thing, and never keeps the process alive. A poll that fails is tried again
 * at the next turn.
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

import type { Signals } from './signals.ts'

/**
 * Waits for a notification, for so many milliseconds (without limit where null), or until the signal aborts. A
 * notification between two waits is not lost.
 */
export function createNews(signals: Signals, topic: string, signal: AbortSignal) {
  let fresh = signal.aborted
  let resume = () => {}
  const arrive = () => {
    fresh = true
    resume()
  }
  const unlisten = signals.listen(topic, arrive)
  signal.addEventListener('abort', arrive)
  return {
    async wait(milliseconds: number | null): Promise<void> {
      if (!fresh) {
        await new Promise<void>((resolve) => {
          const timer = milliseconds === null ? undefined : setTimeout(resolve, milliseconds)
          resume = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      fresh = false
    },
    close() {
      unlisten()
      signal.removeEventListener('abort', arrive)
    },
  }
}

import type { Signals } from './signals.ts'

/** Waits for a wake-up, a turn of the poll or the end of the signal; what comes between two waits is not lost. */
export function createNews(signals: Signals, topic: string, pollMs: number, signal: AbortSignal) {
  let fresh = signal.aborted
  let resume = () => {}
  const arrive = () => {
    fresh = true
    resume()
  }
  const unlisten = signals.listen(topic, arrive)
  signal.addEventListener('abort', arrive)
  return {
    async wait(): Promise<void> {
      if (!fresh) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, pollMs)
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

/** Milliseconds until a stream that ended is opened again: the first time, and the most. */
const waits = { firstMs: 500, mostMs: 10_000 }

/**
 * Keeps something open while the page is shown. A hidden tab gives its connection back: a browser has six to the gateway
 * for all its tabs. Returns what ends it.
 */
export function whileShown(open: (signal: AbortSignal) => void): () => void {
  let current: AbortController | null = null
  const look = () => {
    if (!document.hidden && current === null) {
      current = new AbortController()
      open(current.signal)
    } else if (document.hidden) close()
  }
  const close = () => {
    current?.abort()
    current = null
  }
  look()
  document.addEventListener('visibilitychange', look)
  return () => {
    document.removeEventListener('visibilitychange', look)
    close()
  }
}

/**
 * Reads a stream until the signal, and opens it again whenever it ends or is cut. `onCut` says of an error whether to go on.
 */
export async function readAgain<Item>(
  open: (signal: AbortSignal) => Promise<AsyncIterable<Item>>,
  signal: AbortSignal,
  take: (item: Item) => void,
  onCut: (error: unknown) => 'again' | 'final',
): Promise<void> {
  let wait = waits.firstMs
  while (!signal.aborted) {
    try {
      for await (const item of await open(signal)) {
        wait = waits.firstMs
        take(item)
      }
    } catch (error) {
      if (signal.aborted || onCut(error) === 'final') return
    }
    await pause(wait, signal)
    wait = Math.min(wait * 2, waits.mostMs)
  }
}

/** Waits, at most until the signal. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = () => resolve()
  const timer = setTimeout(end, ms)
  signal.addEventListener('abort', end)
  await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', end)
}

/** Subscribes a listener to events without data; returns how to unsubscribe. */
type Source = (listener: () => void) => () => void

/** Yields after one or more events of any source since the last time. Ends with the signal. */
export async function* ticks(sources: readonly Source[], signal: AbortSignal): AsyncGenerator<void, void, undefined> {
  let happened = false
  let wake = () => {}
  const note = () => {
    happened = true
    wake()
  }
  const stops = sources.map((source) => source(note))
  signal.addEventListener('abort', note)
  try {
    while (!signal.aborted) {
      if (!happened) await new Promise<void>((resolve) => (wake = resolve))
      happened = false
      if (!signal.aborted) yield
    }
  } finally {
    signal.removeEventListener('abort', note)
    for (const stop of stops) stop()
  }
}

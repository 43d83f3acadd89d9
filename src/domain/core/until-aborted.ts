/**
 * The events until they end or the signal aborts. It then no longer waits for the next event: an operation that continues
 * without its caller would hold the connection's memory until that event.
 */
export async function* untilAborted<T>(
  events: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const made = events[Symbol.asyncIterator]()
  let stop: () => void = () => undefined
  let isOver = false
  const onAbort = () => stop()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    while (!signal.aborted) {
      // A race against one promise for the whole stream would retain every event until its end.
      const next = await new Promise<IteratorResult<T> | null>((resolve, reject) => {
        stop = () => resolve(null)
        made.next().then(resolve, (failure: unknown) => {
          isOver = true
          reject(failure)
        })
      })
      isOver = next?.done === true
      if (next === null || isOver) return
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    if (!isOver) made.return?.().catch(() => undefined)
  }
}

/** Functions that are called with each event. */
type Listeners<Event> = {
  /** Adds one; returns the function that removes it. */
  add(listener: (event: Event) => void): () => void
  call(event: Event): void
}

/** Creates an empty set of them. */
export function createListeners<Event>(): Listeners<Event> {
  const listeners = new Set<(event: Event) => void>()
  return {
    add(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    call(event) {
      for (const listener of listeners) listener(event)
    },
  }
}

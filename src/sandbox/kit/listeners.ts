import { asError, type Emit } from './events.ts'

export type Listeners<T> = {
  /** Returns a function that removes the listener. */
  add: (listener: (value: T) => void) => () => void
  notify: (value: T) => void
}

/** Creates a list of listeners. One that throws does not affect the others: the failure is reported as an event. */
export function createListeners<T>(emit: Emit): Listeners<T> {
  const listeners = new Set<(value: T) => void>()
  return {
    add: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    notify: (value) => {
      for (const listener of listeners) {
        try {
          listener(value)
        } catch (thrown) {
          emit({ type: 'listener-failed', error: asError(thrown) })
        }
      }
    },
  }
}

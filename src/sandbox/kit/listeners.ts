import { asError, type Emit } from './events.ts'

/** Those who want to hear of something. */
export type Listeners<T> = {
  /** Answers a function that ends it. */
  add: (listener: (value: T) => void) => () => void
  tell: (value: T) => void
}

/** Makes a list of listeners. What they are told of has happened, so one that throws changes nothing for anybody else. */
export function createListeners<T>(emit: Emit): Listeners<T> {
  const listeners = new Set<(value: T) => void>()
  return {
    add: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    tell: (value) => {
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

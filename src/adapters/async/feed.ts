import { DomainError } from '../../domain/core/errors.ts'

/** Publishes values to any number of readers. Each reads at its own pace, and none waits for another. */
type Feed<T> = {
  publish(value: T): void
  /** Ends every reader with an error, after the values it has yet to read. */
  fail(error: DomainError): void
  /** Ends every reader, after the values it has yet to read. */
  end(): void
  /** Every value published from this call on, until the signal. UNAVAILABLE for a reader that is too far behind. */
  read(signal: AbortSignal): AsyncGenerator<T, void, undefined>
}

type Reader<T> = { waiting: T[]; last: DomainError | 'end' | null; wake: () => void }

/** Makes a feed whose readers may have at most so many values waiting. */
export function createFeed<T>(mostWaiting: number): Feed<T> {
  const readers = new Set<Reader<T>>()

  function finish(reader: Reader<T>, last: DomainError | 'end'): void {
    readers.delete(reader)
    reader.last = last
    reader.wake()
  }

  async function* drain(reader: Reader<T>, signal: AbortSignal, leave: () => void): AsyncGenerator<T, void, undefined> {
    try {
      while (!signal.aborted) {
        const [next] = reader.waiting.splice(0, 1)
        if (next !== undefined) yield next
        else if (reader.last === null) await new Promise<void>((resolve) => (reader.wake = resolve))
        else if (reader.last === 'end') return
        else throw reader.last
      }
    } finally {
      leave()
      signal.removeEventListener('abort', leave)
    }
  }

  return {
    publish(value) {
      for (const reader of readers) {
        if (reader.waiting.push(value) > mostWaiting) {
          reader.waiting = []
          finish(reader, tooSlow())
        } else reader.wake()
      }
    },
    fail(error) {
      for (const reader of readers) finish(reader, error)
    },
    end() {
      for (const reader of readers) finish(reader, 'end')
    },
    read(signal) {
      const reader: Reader<T> = { waiting: [], last: null, wake: () => {} }
      const leave = () => finish(reader, 'end')
      // Added at this call, not when the first value is requested: what is published in between is not lost.
      readers.add(reader)
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
      return drain(reader, signal, leave)
    },
  }
}

function tooSlow(): DomainError {
  return new DomainError('UNAVAILABLE', 'You read too slowly, so events were dropped. Subscribe again.')
}

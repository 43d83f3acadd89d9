import { DomainError } from '../../domain/core/errors.ts'

/** Tells values to any number of readers, each of which reads at its own pace and none of which waits for another. */
export type Feed<T> = {
  tell(value: T): void
  /** Ends every reader with an error, after what it has yet to read. */
  fail(error: DomainError): void
  /** Ends every reader, after what it has yet to read. */
  end(): void
  /** Every value that is told from this call on, until the signal; UNAVAILABLE at a reader that is too far behind. */
  read(signal: AbortSignal): AsyncGenerator<T, void, undefined>
}

type Reader<T> = { waiting: T[]; last: DomainError | 'end' | null; wake: () => void }

/** Makes a feed whose readers may have so many values waiting. */
export function createFeed<T>(patience: number): Feed<T> {
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
    tell(value) {
      for (const reader of readers) {
        if (reader.waiting.push(value) > patience) {
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
      // From this call on, and not from the first reading: what happens in between is of the reader's time too.
      readers.add(reader)
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
      return drain(reader, signal, leave)
    },
  }
}

function tooSlow(): DomainError {
  return new DomainError('UNAVAILABLE', 'You read too slowly, and more came than is kept; subscribe again.')
}

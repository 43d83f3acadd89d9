import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type Failure, failureOf } from '../gateway/failures.ts'
import { plainWord } from '../values/words.ts'

/** What a page reads: not there yet, there, or failed. Value and failure stay while it is loading anew. */
export type Loaded<Value> = { value: Value | null; failure: Failure | null; loading: boolean; reload: () => void }

/**
 * Reads once, again whenever one of `keys` changes, and on `reload`. An answer that a newer read overtook is dropped; the
 * signal tells the read of it.
 */
export function useLoaded<Value>(
  read: (overtaken: AbortSignal) => Promise<Value>,
  keys: readonly unknown[],
): Loaded<Value> {
  const [turn, setTurn] = useState(0)
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload'>>({ value: null, failure: null, loading: true })
  useEffect(() => {
    const overtaken = new AbortController()
    const set = (next: (before: Omit<Loaded<Value>, 'reload'>) => Omit<Loaded<Value>, 'reload'>) =>
      overtaken.signal.aborted || setState(next)
    set((before) => ({ ...before, loading: true }))
    read(overtaken.signal).then(
      (value) => set(() => ({ value, failure: null, loading: false })),
      (error) => set((before) => ({ ...before, failure: failureOf(error), loading: false })),
    )
    return () => overtaken.abort()
  }, [...keys, turn])
  return { ...state, reload: () => setTurn((last) => last + 1) }
}

type ShownProps<Value> = { of: Loaded<Value>; what: string; children: (value: Value) => ComponentChildren }

/** What was read, or that it is being read, or why it could not be, with a way to try again. */
export function Shown<Value>({ of: { value, failure, reload }, what, children }: ShownProps<Value>) {
  if (failure !== null)
    return (
      <>
        <FailureNote failure={failure}>
          <button type="button" onClick={reload}>
            Try again
          </button>
        </FailureNote>
        {value !== null && children(value)}
      </>
    )
  if (value === null) return <p class="loading">Reading {what} …</p>
  return <>{children(value)}</>
}

/** A failure in words. */
export function FailureNote({ failure, children }: { failure: Failure; children?: ComponentChildren }) {
  // The sentence names a single field itself.
  const fields = Object.entries(failure.fields).filter(([, message]) => !failure.text.includes(message))
  return (
    <div class="note bad" role="alert">
      <p>{failure.text}</p>
      {fields.length > 0 && (
        <ul>
          {fields.map(([path, message]) => (
            <li key={path}>
              {path === '' ? '' : `${plainWord(path.slice(path.lastIndexOf('.') + 1))}: `}
              {message}
            </li>
          ))}
        </ul>
      )}
      {children}
    </div>
  )
}

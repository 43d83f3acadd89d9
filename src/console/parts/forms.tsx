import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { type Failure, failureOf } from '../gateway/failures.ts'

type FieldProps = InputHTMLAttributes & { label: string; error?: string | undefined; onText: (text: string) => void }

/** A labelled text field, with what is wrong with it. */
export function Field({ label, error, onText, ...input }: FieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...input}
        id={id}
        onInput={(event) => onText(event.currentTarget.value)}
        aria-invalid={error !== undefined}
        {...(error === undefined ? {} : { 'aria-describedby': `${id}-error` })}
      />
      {error !== undefined && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}

type SelectProps<Value extends string> = {
  label: string
  value: Value
  options: readonly (readonly [Value, string])[]
  onChoice: (value: Value) => void
}

/** A labelled choice of one of several values. */
export function Select<Value extends string>({ label, value, options, onChoice }: SelectProps<Value>) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChoice(event.currentTarget.value as Value)}>
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

/** Work that a button starts: whether it runs, and why the last run failed. */
export type Work<Inputs extends unknown[]> = {
  run: (...inputs: Inputs) => Promise<void>
  running: boolean
  failure: Failure | null
}

/** Runs work once at a time and keeps its failure. */
export function useWork<Inputs extends unknown[]>(work: (...inputs: Inputs) => Promise<void>): Work<Inputs> {
  const [state, setState] = useState<{ running: boolean; failure: Failure | null }>({ running: false, failure: null })
  // A second press can come before the page shows that the first one works.
  const runs = useRef(false)
  const run = async (...inputs: Inputs) => {
    if (runs.current) return
    runs.current = true
    setState({ running: true, failure: null })
    try {
      await work(...inputs)
      setState({ running: false, failure: null })
    } catch (error) {
      setState({ running: false, failure: failureOf(error) })
    } finally {
      runs.current = false
    }
  }
  return { ...state, run }
}

type ActionProps = { running: boolean; doing: string; class?: string; disabled?: boolean; children: ComponentChildren }

/** A button that says what it does while it works. It submits its form, or acts by itself with `onClick`. */
export function Action({ running, doing, onClick, children, ...rest }: ActionProps & { onClick?: () => void }) {
  return (
    <button
      {...rest}
      {...(onClick === undefined ? {} : { onClick })}
      type={onClick === undefined ? 'submit' : 'button'}
      disabled={running || rest.disabled === true}
      aria-busy={running}
    >
      {running ? `${doing} …` : children}
    </button>
  )
}

/** A button that copies a text. The clipboard is missing on plain http except on this machine. */
export function Copy({ text, label = 'copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false)
  if (navigator.clipboard === undefined) return null
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true)
        setTimeout(() => setCopied(false), 1_500)
      },
      () => undefined,
    )
  return (
    <button type="button" class="small" onClick={copy} aria-label={copied ? 'copied' : `${label} ${text}`}>
      {copied ? 'copied' : label}
    </button>
  )
}

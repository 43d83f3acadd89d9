import { inject } from 'vitest'
import type { SharedPart } from './shared-parts.ts'

/** Asks the runner for a part that all files of a run share: `database` is the URL of a new one, made from a template. */
export async function shared(part: SharedPart): Promise<string> {
  const response = await fetch(`${inject('shared')}/${part}`, { method: 'POST' })
  const text = await response.text()
  if (!response.ok) throw new Error(`The run has no ${part}: ${text}`)
  return text
}

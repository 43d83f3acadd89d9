import { errorTable } from '../../contract/shared/errors.ts'
import { DomainError } from '../core/errors.ts'
import type { SubgraphBlock } from '../ports/providers.ts'
import type { Sourced } from '../ports/sourced.ts'
import type { Clock } from '../ports/system.ts'

/** A source that a research asks, by the field of the answer that it fills. */
export type Question<T> = { part: string; ask(signal: AbortSignal): Promise<Answered<T>> }

/** What a source answered, with the block that it is of where it is of one. */
type Answered<T> = Sourced<T> & { block?: SubgraphBlock | null }

/** How a source did, in the words of the contract. */
export type PartReport = {
  part: string
  state: 'ok' | 'failed' | 'timed_out'
  source?: string
  age_ms?: number
  latency_ms: number
  block_number?: number
  block_age_seconds?: number
  code?: string
  message?: string
}

export type Outcome<T> = { report: PartReport; value: T | null; error: DomainError | null }

/**
 * Asks a source and says how it did; a failure is an outcome like any other. Only what the domain has no word for is
 * thrown, and what the caller's own leaving causes.
 */
export async function askPart<T>(
  { part, ask }: Question<T>,
  { signal, deadline, clock }: { signal: AbortSignal; deadline: AbortSignal; clock: Clock },
): Promise<Outcome<T>> {
  const started = clock.now().getTime()
  try {
    const { value, source, ageMs, latencyMs, block = null } = await ask(AbortSignal.any([signal, deadline]))
    const report = { part, state: 'ok' as const, source, age_ms: ageMs, latency_ms: latencyMs }
    return { value, error: null, report: { ...report, ...(block === null ? {} : blockFields(block, clock)) } }
  } catch (thrown) {
    if (!(thrown instanceof DomainError) || signal.aborted) throw thrown
    const latency = Math.max(0, clock.now().getTime() - started)
    const asked: Outcome<T> = { value: null, error: null, report: { part, state: 'failed', latency_ms: latency } }
    return withError(asked, deadline.aborted ? tooLate(thrown) : thrown)
  }
}

/** An outcome that is a failure; what its source told is kept. */
export function withError<T>({ report, value }: Outcome<T>, error: DomainError): Outcome<T> {
  const { code, message } = error
  const state = code === 'DEADLINE_EXCEEDED' ? 'timed_out' : 'failed'
  return { value, error, report: { ...report, state, code, message } }
}

/**
 * The failure of a request whose every source failed, or null: that of a single source itself, else the reasons of all
 * under the code of one that a retry may heal, where there is one.
 */
export function failureOfAll(outcomes: readonly Outcome<unknown>[]): DomainError | null {
  const failed = outcomes.flatMap(({ report, error }) => (error === null ? [] : [{ part: report.part, error }]))
  const [first] = failed
  if (first === undefined || failed.length < outcomes.length) return null
  if (failed.length === 1) return first.error
  const { error } = failed.find((one) => errorTable[one.error.code].retry) ?? first
  const reasons = failed.map((one) => `${one.part}: ${one.error.message.slice(0, 300)}`)
  return new DomainError(error.code, `Every source failed. ${reasons.join(' ')}`, error.details, error)
}

function blockFields({ number, at }: SubgraphBlock, clock: Clock) {
  const seconds = at === null ? null : Math.max(0, Math.floor((clock.now().getTime() - at.getTime()) / 1_000))
  return { block_number: number, ...(seconds === null ? {} : { block_age_seconds: seconds }) }
}

function tooLate(cause: DomainError): DomainError {
  return new DomainError(
    'DEADLINE_EXCEEDED',
    'It was not answered within the time of a research; ask again.',
    {},
    cause,
  )
}

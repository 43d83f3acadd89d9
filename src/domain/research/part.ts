import { errorTable } from '../../contract/shared/errors.ts'
import { DomainError, type Fail, withMessage } from '../core/errors.ts'
import type { Sourced, SubgraphBlock } from '../ports/providers.ts'
import type { Clock } from '../ports/system.ts'

/** A query of one source. `part` is the field of the response that it fills. */
type PartQuery<T> = { part: string; query(signal: AbortSignal): Promise<PartResult<T>> }

/** What a source returned, with the block that it refers to, where there is one. */
type PartResult<T> = Sourced<T> & { block?: SubgraphBlock | null }

/** How a source did, with the contract's field names. */
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

/** What every part takes from the call: `signal` aborts when the caller disconnects, `deadline` when the time is over. */
export type PartContext = {
  signal: AbortSignal
  deadline: AbortSignal
  clock: Clock
  fail: Fail<'DEADLINE_EXCEEDED'>
}

/** Queries a source and reports how it did. A DomainError is an outcome; other errors, and aborts of `signal`, are thrown. */
export async function queryPart<T>(
  { part, query }: PartQuery<T>,
  { signal, deadline, clock, fail }: PartContext,
): Promise<Outcome<T>> {
  const started = clock.now().getTime()
  try {
    const { value, source, ageMs, latencyMs, block = null } = await query(AbortSignal.any([signal, deadline]))
    const report = { part, state: 'ok' as const, source, age_ms: ageMs, latency_ms: latencyMs }
    return { value, error: null, report: { ...report, ...(block === null ? {} : blockFields(block, clock)) } }
  } catch (thrown) {
    if (!(thrown instanceof DomainError) || signal.aborted) throw thrown
    const latency = Math.max(0, clock.now().getTime() - started)
    const failed: Outcome<T> = { value: null, error: null, report: { part, state: 'failed', latency_ms: latency } }
    if (!deadline.aborted) return withError(failed, thrown)
    const late = 'The source did not respond within the time of a research. Request it again.'
    return withError(failed, fail('DEADLINE_EXCEEDED', late, {}, thrown))
  }
}

/** The outcome as a failure; the rest of the report remains. */
export function withError<T>({ report, value }: Outcome<T>, error: DomainError): Outcome<T> {
  const { code, message } = error
  const state = code === 'DEADLINE_EXCEEDED' ? 'timed_out' : 'failed'
  return { value, error, report: { ...report, state, code, message } }
}

/**
 * The error of a request whose every source failed, else null. A single source's own error, or the messages of all under
 * the code of one that a retry may help, where there is one.
 */
export function failureOfAll(outcomes: readonly Outcome<unknown>[]): DomainError | null {
  const failed = outcomes.flatMap(({ report, error }) => (error === null ? [] : [{ part: report.part, error }]))
  const [first] = failed
  if (first === undefined || failed.length < outcomes.length) return null
  if (failed.length === 1) return first.error
  const { error } = failed.find((one) => errorTable[one.error.code].retry) ?? first
  const reasons = failed.map((one) => `${one.part}: ${one.error.message.slice(0, 300)}`)
  return withMessage(error, `Every source failed. ${reasons.join(' ')}`)
}

function blockFields({ number, at }: SubgraphBlock, clock: Clock) {
  const seconds = at === null ? null : Math.max(0, Math.floor((clock.now().getTime() - at.getTime()) / 1_000))
  return { block_number: number, ...(seconds === null ? {} : { block_age_seconds: seconds }) }
}

import { DomainError } from '../errors.ts'
import type { Sourced, SubgraphBlock } from '../ports/providers.ts'
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
    const error = deadline.aborted ? tooLate(thrown) : thrown
    const state = error.code === 'DEADLINE_EXCEEDED' ? 'timed_out' : 'failed'
    const { code, message } = error
    const latency = Math.max(0, clock.now().getTime() - started)
    return { value: null, error, report: { part, state, latency_ms: latency, code, message } }
  }
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

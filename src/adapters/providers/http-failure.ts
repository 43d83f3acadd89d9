import { DomainError } from '../../domain/core/errors.ts'
import type { Outcome } from './http-attempt.ts'

/** Why an attempt did not bring the answer. */
export type Failure =
  | Exclude<Outcome, { kind: 'reply' }>
  | { kind: 'status'; status: number; words: string; retryAfterMs: number | null }
  /** `malformed` is no JSON at all, as a cut answer is; `misshapen` is JSON of another shape. */
  | { kind: 'malformed' | 'misshapen'; cause: Error }

/** The failure of a text that could not be taken. Deep nesting is of the question's making, as too large a size is. */
export function unread(fault: 'too_deep' | 'no_json'): Failure {
  if (fault === 'no_json') return { kind: 'malformed', cause: new Error('not JSON') }
  return { kind: 'too_large', cause: new Error('nested too deep') }
}

/** What errors say of a provider: its name in a sentence, and the settings that lead to it. */
export type Naming = { name: string; urlSetting: string; keySetting?: string }

const passing: ReadonlySet<number> = new Set([408, 418, 425, 429, 500, 502, 503, 504])

/** May the same request succeed a moment later. */
export function isPassing(failure: Failure): boolean {
  if (failure.kind === 'status') return passing.has(failure.status)
  return failure.kind === 'network' || failure.kind === 'timeout' || failure.kind === 'malformed'
}

/** Does it say that the request was not carried out, for there were too many: 418 is how an exchange bans who goes on after 429. */
export function isUndone(failure: Failure): boolean {
  return failure.kind === 'status' && isLimit(failure.status)
}

function isLimit(status: number): boolean {
  return status === 429 || status === 418
}

/** Does it count against the provider itself, rather than against what was asked of it. */
export function isOutage(failure: Failure): boolean {
  return isPassing(failure) && !isUndone(failure)
}

/** A provider that asks for more is asked again after this, for nobody else would wake it; bans last up to three days. */
const mostWaitMs = 3_600_000
const mostBanMs = 72 * 3_600_000

/**
 * Milliseconds of a Retry-After header in seconds or as a date, at most an hour, or three days with the status of a ban;
 * null where there is none that can be read.
 */
export function retryAfter(header: string | undefined, now: Date, status = 429): number | null {
  if (header === undefined) return null
  const asked = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now.getTime()
  return Number.isNaN(asked) ? null : Math.min(Math.max(0, asked), status === 418 ? mostBanMs : mostWaitMs)
}

/** The failure in the words of the domain. */
export function errorOf(failure: Failure, { name, urlSetting, keySetting = urlSetting }: Naming): DomainError {
  const unavailable = (message: string, cause?: unknown) => new DomainError('UNAVAILABLE', message, {}, cause)
  switch (failure.kind) {
    case 'timeout':
      return new DomainError('DEADLINE_EXCEEDED', `${name} took too long to answer; try again.`, {}, failure.cause)
    case 'network':
      return unavailable(`${name} cannot be reached or cuts its answers short; try again in a moment.`, failure.cause)
    case 'too_large':
      return unavailable(`${name} answered more than is taken from it; ask for less.`, failure.cause)
    case 'malformed':
    case 'misshapen':
      return unavailable(`${name} answered something that is not in its format; try again later.`, failure.cause)
    case 'status':
      return statusError(failure, { name, urlSetting, keySetting })
  }
}

function statusError(
  { status, words, retryAfterMs }: Extract<Failure, { kind: 'status' }>,
  { name, urlSetting, keySetting }: Required<Naming>,
): DomainError {
  const cause = new Error(`status ${status}: ${words}`)
  const make = (code: 'UNAVAILABLE' | 'NOT_FOUND' | 'INVALID_ARGUMENT', message: string) =>
    new DomainError(code, message, {}, cause)
  // Whatever a provider refuses with its time to come back is no fault of the question.
  if (isLimit(status) || (retryAfterMs ?? 0) > 0) return resting(name, retryAfterMs ?? 1_000, cause)
  if (status === 401 || status === 403) return make('UNAVAILABLE', `${name} refuses the gateway: check ${keySetting}.`)
  if (status === 402) return make('UNAVAILABLE', `${name} asks to be paid first: see to the account of ${keySetting}.`)
  if (status === 404) return make('NOT_FOUND', `${name} knows nothing by that name or id.`)
  if (status >= 300 && status < 400)
    return make('UNAVAILABLE', `${name} has moved, and redirects are not followed: correct ${urlSetting}.`)
  if (status < 500 && !passing.has(status))
    return make('INVALID_ARGUMENT', `${name} does not take the request${words === '' ? '.' : `: ${words}`}`)
  return make('UNAVAILABLE', `${name} failed (status ${status}); try again in a moment.`)
}

/** The provider is left alone for so long. */
export function resting(name: string, waitMs: number, cause?: unknown): DomainError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000))
  const message = `${name} is left alone for now; try again in ${retryAfterSeconds} s.`
  return new DomainError('UNAVAILABLE', message, { retryAfterSeconds }, cause)
}

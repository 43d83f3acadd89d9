import { DomainError } from '../../domain/core/errors.ts'
import type { Outcome } from './http-attempt.ts'

/** Why an attempt failed. */
export type Failure =
  | Exclude<Outcome, { kind: 'reply' }>
  | { kind: 'status'; status: number; message: string; retryAfterMs: number | null }
  /** `malformed` is not JSON, such as a response that was cut off; `misshapen` is JSON of another shape. */
  | { kind: 'malformed' | 'misshapen'; cause: Error }

/** The failure of a text that cannot be parsed. Deep nesting is, like a large size, due to the request. */
export function unread(fault: 'too_deep' | 'no_json'): Failure {
  if (fault === 'no_json') return { kind: 'malformed', cause: new Error('not JSON') }
  return { kind: 'too_large', cause: new Error('nested too deep') }
}

/** How errors name a provider and its settings. */
export type Naming = { name: string; urlSetting: string; keySetting?: string }

const passing: ReadonlySet<number> = new Set([408, 418, 425, 429, 500, 502, 503, 504])

/** True where the same request can succeed a moment later. */
export function isPassing(failure: Failure): boolean {
  if (failure.kind === 'status') return passing.has(failure.status)
  return failure.kind === 'network' || failure.kind === 'timeout' || failure.kind === 'malformed'
}

/** True where the request was not carried out because there were too many. With 418 an exchange bans clients that ignore 429. */
export function isUndone(failure: Failure): boolean {
  return failure.kind === 'status' && isLimit(failure.status)
}

function isLimit(status: number): boolean {
  return status === 429 || status === 418
}

/** True of a failure of the provider itself, not of the request. */
export function isOutage(failure: Failure): boolean {
  return isPassing(failure) && !isUndone(failure)
}

/** The longest pause that a provider can request, and the longest ban. */
const mostWaitMs = 3_600_000
const mostBanMs = 72 * 3_600_000

/**
 * The milliseconds of a Retry-After header in seconds or as a date: at most an hour, or three days with the status of a
 * ban; null without a valid header.
 */
export function retryAfter(header: string | undefined, now: Date, status = 429): number | null {
  if (header === undefined) return null
  const delayMs = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now.getTime()
  return Number.isNaN(delayMs) ? null : Math.min(Math.max(0, delayMs), status === 418 ? mostBanMs : mostWaitMs)
}

/** The failure as a domain error. */
export function errorOf(failure: Failure, { name, urlSetting, keySetting = urlSetting }: Naming): DomainError {
  const unavailable = (message: string, cause?: unknown) => new DomainError('UNAVAILABLE', message, {}, cause)
  switch (failure.kind) {
    case 'timeout':
      return new DomainError('DEADLINE_EXCEEDED', `${name} took too long to respond. Try again.`, {}, failure.cause)
    case 'network':
      return unavailable(
        `${name} cannot be reached, or closes the connection early. Try again in a moment.`,
        failure.cause,
      )
    case 'too_large':
      return unavailable(`${name} returned too large a response. Request less.`, failure.cause)
    case 'malformed':
    case 'misshapen':
      return unavailable(`${name} returned a response that is not in its format. Try again later.`, failure.cause)
    case 'status':
      return statusError(failure, { name, urlSetting, keySetting })
  }
}

function statusError(
  { status, message, retryAfterMs }: Extract<Failure, { kind: 'status' }>,
  { name, urlSetting, keySetting }: Required<Naming>,
): DomainError {
  const cause = new Error(`status ${status}: ${message}`)
  const make = (code: 'UNAVAILABLE' | 'NOT_FOUND' | 'INVALID_ARGUMENT', text: string) =>
    new DomainError(code, text, {}, cause)
  // A refusal with a Retry-After is not an error of the request.
  if (isLimit(status) || (retryAfterMs ?? 0) > 0) return resting(name, retryAfterMs ?? 1_000, cause)
  if (status === 401 || status === 403)
    return make('UNAVAILABLE', `${name} refuses the gateway's key. Check ${keySetting}.`)
  if (status === 402) return make('UNAVAILABLE', `${name} requires a payment. Check the account of ${keySetting}.`)
  if (status === 404) return make('NOT_FOUND', `${name} has nothing of this name or id.`)
  if (status >= 300 && status < 400)
    return make('UNAVAILABLE', `${name} redirects, which is not followed. Correct ${urlSetting}.`)
  if (status < 500 && !passing.has(status))
    return make('INVALID_ARGUMENT', `${name} refuses the request${message === '' ? '.' : `: ${message}`}`)
  return make('UNAVAILABLE', `${name} failed (status ${status}). Try again in a moment.`)
}

/** The error of a request during a pause. */
export function resting(name: string, waitMs: number, cause?: unknown): DomainError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000))
  const message = `${name} is paused, after failures or at its own request. Try again in ${retryAfterSeconds} s.`
  return new DomainError('UNAVAILABLE', message, { retryAfterSeconds }, cause)
}

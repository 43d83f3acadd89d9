import type { ErrorCode, ErrorDetails } from '../contract/errors.ts'

/**
 * The one error of the domain and its adapters. `message` is for the caller and says what to do next; `cause` is for
 * the log alone.
 */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.details = details
  }
}

/** An input that breaks a rule the schema cannot state: 422 that names the field. */
export function invalid(path: string, message: string, code = 'custom'): DomainError {
  return new DomainError('INVALID_ARGUMENT', `${path}: ${message}`, { violations: [{ path, message, code }] })
}

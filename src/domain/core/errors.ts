import type { ErrorCode, ErrorDetails } from '../../contract/shared/errors.ts'

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

/**
 * Makes an error to throw; a code that `Code` does not list does not compile. A handler has it as `call.fail`, typed by the
 * errors that its operation declares, and hands it to the functions it calls: each names the codes that it may fail with.
 */
export type Fail<Code extends ErrorCode> = (
  code: Code,
  message: string,
  details?: ErrorDetails,
  cause?: unknown,
) => DomainError

/**
 * INVALID_ARGUMENT (422) for a rule that the schema cannot state. It names the field; an empty path is the whole input.
 */
export function invalid(path: string, message: string, code = 'custom'): DomainError {
  return new DomainError('INVALID_ARGUMENT', `${path === '' ? 'The input' : `${path}:`} ${message}`, {
    violations: [{ path, message, code }],
  })
}

/** INTERNAL, for an unexpected failure: it names the request, and the cause is only logged. */
export function unexpectedError(requestId: string, cause?: unknown): DomainError {
  return new DomainError('INTERNAL', `The gateway failed unexpectedly. Report request id ${requestId}.`, {}, cause)
}

/** Ends a round of background work that the next block repeats. It is logged as a warning, and no caller receives it. */
export class RepeatLater extends DomainError {
  constructor(message: string) {
    super('UNAVAILABLE', message)
  }
}

/** The database did not respond: UNAVAILABLE. An outage has a line of its own in the log, so this is not logged again. */
export class StorageOutage extends DomainError {
  /** True where the work had come to its commit, which may have been done, or may be yet. */
  readonly mayCommit: boolean

  constructor(cause: unknown, mayCommit = false) {
    const message = 'The database of the gateway does not respond. Try again in a moment.'
    super('UNAVAILABLE', message, { retryAfterSeconds: 1 }, cause)
    this.mayCommit = mayCommit
  }
}

/** The database responds, but did not do this within its limits, or has no connection for it: UNAVAILABLE. It is logged. */
export class StorageBusy extends DomainError {
  constructor(cause: unknown) {
    const message = 'The database of the gateway is too busy for this. Try again in a moment.'
    super('UNAVAILABLE', message, { retryAfterSeconds: 1 }, cause)
  }
}

/** The error of a gateway that shuts down: UNAVAILABLE. */
export function gatewayStopping(): DomainError {
  return new DomainError('UNAVAILABLE', 'The gateway is stopping. Try again in a moment.')
}

/** Returns the error with additional metadata; existing entries stay. */
export function withFacts({ code, message, details, cause }: DomainError, facts: Record<string, string>): DomainError {
  return new DomainError(code, message, { ...details, metadata: { ...facts, ...details.metadata } }, cause)
}

/** Returns the error with another message, and the original error as its cause. */
export function withMessage(error: DomainError, message: string): DomainError {
  return new DomainError(error.code, message, error.details, error)
}

/** True where an error is what aborting the signal causes, itself or as the cause of a library's own error. */
export function isAbortOf(signal: AbortSignal, thrown: unknown): boolean {
  if (!signal.aborted) return false
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth += 1)
    if (error === signal.reason || error.name === 'AbortError') return true
  return thrown === signal.reason
}

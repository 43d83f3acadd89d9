import { inRestWords } from '../contract/index.ts'
import { errorTable, problemTypeOf } from '../contract/shared/errors.ts'
import type { Problem } from '../contract/shared/problem.ts'
import type { DomainError } from '../domain/core/errors.ts'

export const problemType = 'application/problem+json'

/** The problem document of an error, without its cause, in the words of REST. */
export function problemOf(error: DomainError, requestId: string): Problem {
  const row = errorTable[error.code]
  const { violations, retryAfterSeconds, metadata } = error.details
  return {
    type: problemTypeOf(error.code),
    title: row.title,
    status: row.http,
    detail: inRestWords(error.message),
    code: error.code,
    request_id: requestId,
    ...(violations === undefined
      ? {}
      : { errors: violations.map((each) => ({ ...each, message: inRestWords(each.message) })) }),
    ...(retryAfterSeconds == null ? {} : { retry_after_seconds: retryAfterSeconds }),
    ...(metadata === undefined ? {} : { metadata }),
  }
}

/** The refusal of an HTTP method that a path does not support. */
export function methodNotAllowed(allowed: string, requestId: string): Problem {
  return {
    type: problemTypeOf('METHOD_NOT_ALLOWED'),
    title: 'The path does not support this method',
    status: 405,
    detail: `Use ${allowed}.`,
    code: 'METHOD_NOT_ALLOWED',
    request_id: requestId,
  }
}

import { APICallError, InvalidResponseDataError, JSONParseError, RetryError, TypeValidationError } from 'ai'
import { DomainError } from '../../domain/core/errors.ts'
import { errorOf, isPassing, retryAfter } from '../providers/http-failure.ts'
import { brokenOff } from './completion-stream.ts'

/** How errors name the server and its settings. */
export const naming = { name: 'The language model', urlSetting: 'LLM_BASE_URL', keySetting: 'LLM_API_KEY' }

/**
 * The domain error of a failure of the server. It keeps only the kind and the status, even for the log: the provider's own
 * messages can contain the key.
 */
export function modelError(thrown: unknown): DomainError {
  const last = RetryError.isInstance(thrown) ? thrown.lastError : thrown
  const kind = brokenOff(last) ?? brokenOff(APICallError.isInstance(last) ? last.cause : null)
  if (kind !== null) return errorOf({ kind, cause: kindOf(last) }, naming)
  if (!APICallError.isInstance(last)) return broken(last)
  const { cause, responseHeaders, statusCode: status } = last
  if (status === undefined) return errorOf({ kind: 'network', cause: kindOf(cause) }, naming)
  // The response began with success.
  if (status < 300) return broken(cause)
  const retryAfterMs = retryAfter(responseHeaders?.['retry-after'], new Date())
  return refused({ kind: 'status', status, message: '', retryAfterMs })
}

/** The gateway makes the request, so the operator has to correct what the server refuses. */
function refused(failure: {
  kind: 'status'
  status: number
  message: string
  retryAfterMs: number | null
}): DomainError {
  const { status } = failure
  const named = errorOf(failure, naming)
  if (named.code === 'UNAVAILABLE' || isPassing(failure)) return named
  const advice =
    status === 404
      ? 'is unknown to the server. Correct LLM_MODEL, or LLM_BASE_URL, which usually ends in /v1.'
      : `refuses the request (status ${status}). Clear the session or send a shorter message. If that does not help, check LLM_MODEL, LLM_TOKENS_FIELD and LLM_CONTEXT_TOKENS.`
  return new DomainError('UNAVAILABLE', `${naming.name} ${advice}`, { retryAfterSeconds: null }, named.cause)
}

/** The error that ends an answer that had begun. */
function broken(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown
  const cause = kindOf(thrown)
  // Fetch throws a TypeError where a connection ends before its response.
  if (thrown instanceof TypeError) return errorOf({ kind: 'network', cause }, naming)
  const formats = [InvalidResponseDataError, JSONParseError, TypeValidationError]
  if (formats.some((format) => format.isInstance(thrown))) return errorOf({ kind: 'malformed', cause }, naming)
  return new DomainError('UNAVAILABLE', `${naming.name} failed in its answer. Ask again.`, {}, cause)
}

function kindOf(thrown: unknown): Error {
  return new Error(thrown instanceof Error ? thrown.name : typeof thrown)
}

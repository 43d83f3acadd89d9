import { APICallError, InvalidResponseDataError, JSONParseError, RetryError, TypeValidationError } from 'ai'
import { DomainError } from '../../domain/core/errors.ts'
import { errorOf, isPassing, retryAfter } from '../providers/http-failure.ts'

/** What errors call the server, and the settings that they name. */
export const naming = { name: 'The language model', urlSetting: 'LLM_BASE_URL', keySetting: 'LLM_API_KEY' }

/**
 * What went wrong with the server, in words of ours. Of what was thrown only its sort and status are kept, even for the
 * log: its texts are the provider's, and may hold the key.
 */
export function modelError(thrown: unknown): DomainError {
  const last = RetryError.isInstance(thrown) ? thrown.lastError : thrown
  if (!APICallError.isInstance(last)) return broken(last)
  const { cause, responseHeaders, statusCode: status } = last
  if (status === undefined) return errorOf({ kind: 'network', cause: sortOf(cause) }, naming)
  // It began to answer well.
  if (status < 300) return broken(cause)
  const retryAfterMs = retryAfter(responseHeaders?.['retry-after'], new Date())
  return refused({ kind: 'status', status, words: '', retryAfterMs })
}

/** A request is never the caller's own, so what a server does not take is for the operator to mend. */
function refused(failure: { kind: 'status'; status: number; words: string; retryAfterMs: number | null }): DomainError {
  const { status } = failure
  const named = errorOf(failure, naming)
  if (named.code === 'UNAVAILABLE' || isPassing(failure)) return named
  const mend =
    status === 404
      ? 'is not known to the server: correct LLM_MODEL, or LLM_BASE_URL, which usually ends in /v1.'
      : `does not take the request (status ${status}): clear the session or ask in fewer words; if that does not help, check LLM_MODEL, LLM_TOKENS_FIELD and LLM_CONTEXT_TOKENS.`
  return new DomainError('UNAVAILABLE', `${naming.name} ${mend}`, { retryAfterSeconds: null }, named.cause)
}

/** What ends an answer that had begun. */
function broken(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown
  const cause = sortOf(thrown)
  // It is what fetch throws of a connection that ends before its answer does.
  if (thrown instanceof TypeError) return errorOf({ kind: 'network', cause }, naming)
  const formats = [InvalidResponseDataError, JSONParseError, TypeValidationError]
  if (formats.some((format) => format.isInstance(thrown))) return errorOf({ kind: 'malformed', cause }, naming)
  return new DomainError('UNAVAILABLE', `${naming.name} failed in its answer; ask again.`, {}, cause)
}

function sortOf(thrown: unknown): Error {
  return new Error(thrown instanceof Error ? thrown.name : typeof thrown)
}

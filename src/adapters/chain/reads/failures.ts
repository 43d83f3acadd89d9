import { DomainError } from '../../../domain/core/errors.ts'
import { failureIn, NodeReply, rateLimitOf, TimeoutError } from '../../node/errors/failures.ts'
import { revertOf } from '../../node/errors/reverts.ts'

/** Runs work on a chain. Failures become DomainError, as the port `Chain` requires. */
export async function guarded<T>(chainName: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw chainFailure(chainName, error)
  }
}

/** Converts a failure of a node, a contract or a library; a DomainError stays as it is. */
export function chainFailure(chainName: string, error: unknown): DomainError {
  const failure = failureIn(error)
  const cause = failure?.cause ?? error
  const reason = revertOf(error)
  if (reason !== null)
    return new DomainError('FAILED_PRECONDITION', `A contract refused the call: ${reason}.`, {}, cause)
  if (failure?.code === 'DEADLINE_EXCEEDED' || cause instanceof TimeoutError) {
    const message = `The chain ${chainName} took too long to respond. Try again.`
    return new DomainError('DEADLINE_EXCEEDED', message, {}, cause)
  }
  if (error instanceof DomainError && !(cause instanceof NodeReply)) return error
  if (failure !== null && rateLimitOf(failure) !== null) {
    const message = `The nodes of the chain ${chainName} limit the rate of calls. Try again in a few seconds.`
    return new DomainError('UNAVAILABLE', message, {}, cause)
  }
  const message =
    cause instanceof NodeReply
      ? `The node of the chain ${chainName} refuses the call: ${failure?.message ?? cause.message}`
      : `The chain ${chainName} does not respond. Try again in a few seconds.`
  return new DomainError('UNAVAILABLE', message, {}, cause)
}

/**
 * Why a transaction was not sent: TRANSACTION_REJECTED where the refusal is about the transaction itself, UNAVAILABLE
 * where it proves nothing about it. Both have the kind of the refusal in their metadata.
 */
export function sendFailure(chainName: string, error: unknown): DomainError {
  const failure = failureIn(error)
  if (failure === null || !(failure.cause instanceof NodeReply)) return chainFailure(chainName, error)
  const { code, message, details, cause } = failure
  const isFinal = code === 'TRANSACTION_REJECTED' && details.metadata?.refusal !== 'other'
  const text = `The chain ${chainName} refused the transaction: ${message}`
  return isFinal
    ? new DomainError('TRANSACTION_REJECTED', text, details, cause)
    : new DomainError('UNAVAILABLE', text, details, cause)
}

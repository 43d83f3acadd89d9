import {
  BaseError,
  HttpRequestError,
  RpcRequestError,
  SocketClosedError,
  TimeoutError,
  WebSocketRequestError,
} from 'viem'
import { DomainError } from '../../../domain/core/errors.ts'
import { refusalOf } from './refusals.ts'
import { revertOf } from './reverts.ts'

/** Runs a piece of chain work; what fails becomes a DomainError. */
export async function guarded<T>(chainName: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw chainError(chainName, error)
  }
}

/** A foreign error in the domain's words. Its cause is kept without addresses: those of nodes hold keys. */
export function chainError(chainName: string, error: unknown): DomainError {
  if (error instanceof DomainError) return error
  const revert = revertOf(error)
  if (revert !== null) {
    return new DomainError('FAILED_PRECONDITION', `A contract refused the call: ${revert}.`, {}, cleaned(error))
  }
  if (find(error, TimeoutError)) {
    return new DomainError(
      'DEADLINE_EXCEEDED',
      `The chain ${chainName} took too long to answer; try again.`,
      {},
      cleaned(error),
    )
  }
  return new DomainError(
    'UNAVAILABLE',
    `The chain ${chainName} does not answer; try again in a few seconds.`,
    {},
    cleaned(error),
  )
}

/** Did the node fail to answer, rather than answer that something is wrong. */
export function isSilence(error: unknown): boolean {
  const silent = [HttpRequestError, TimeoutError, WebSocketRequestError, SocketClosedError]
  return silent.some((kind) => find(error, kind)) || messageOf(error).includes('engine is restarting')
}

/** What to throw where sending failed; null where the node knows the transaction, which is success. */
export function sendFailure(chainName: string, error: unknown): DomainError | null {
  if (isSilence(error)) return chainError(chainName, error)
  const refusal = refusalOf(messageOf(error))
  if (refusal === null) return null
  const code = refusal.final ? 'TRANSACTION_REJECTED' : 'UNAVAILABLE'
  const metadata = { refusal: refusal.kind }
  return new DomainError(
    code,
    `The chain ${chainName} does not take the transaction. ${refusal.say}`,
    { metadata },
    cleaned(error),
  )
}

/** All that an error and its causes say, in one text. */
function messageOf(error: unknown): string {
  if (!(error instanceof BaseError)) return error instanceof Error ? error.message : String(error)
  const parts = [error.shortMessage, error.details]
  error.walk((inner) => {
    if (inner instanceof Error) parts.push(inner.message)
    return false
  })
  return parts.join('\n').replaceAll(/request body:.*/gi, '')
}

function find(error: unknown, kind: new (...parameters: never[]) => Error): boolean {
  return error instanceof BaseError && error.walk((inner) => inner instanceof kind) !== null
}

/** The node's own words without addresses. */
function cleaned(error: unknown): Error {
  const text = error instanceof BaseError ? `${error.name}: ${error.shortMessage} ${error.details}` : String(error)
  const code = error instanceof BaseError ? error.walk((inner) => inner instanceof RpcRequestError) : null
  const number = code instanceof RpcRequestError ? ` (${code.code})` : ''
  return new Error(text.replaceAll(/\b(https?|wss?):\/\/\S+/g, '[node]') + number)
}

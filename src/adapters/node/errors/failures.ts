import { DomainError } from '../../../domain/core/errors.ts'

/** The error object that a node returned in place of a result. */
export type NodeFailure = {
  code: number
  message: string
  data?: unknown
  /** How long the node asked the caller to wait, where it did. */
  retryAfterMs?: number
}

/** The cause of a DomainError where a node responded with an error: its text without addresses, and its code. */
export class NodeReply extends Error {
  override readonly name = 'NodeReply'
  readonly rpcCode: number
  readonly retryAfterMs: number

  constructor({ code, message, retryAfterMs = 0 }: NodeFailure) {
    super(`${message} (${code})`)
    this.rpcCode = code
    this.retryAfterMs = retryAfterMs
  }
}

/** A node did not respond in time. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/** No node responded. */
export function silence(cause: unknown): DomainError {
  return new DomainError('UNAVAILABLE', 'The chain does not respond. Try again in a few seconds.', {}, cause)
}

/** The node's failure inside an error of a library that wraps it; null where there is none. */
export function failureIn(error: unknown): DomainError | null {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 20; inner = inner.cause, depth += 1)
    if (inner instanceof DomainError) return inner
  return null
}

/** True where the node did not respond or asked to retry later; false where it returned another error. */
export function isSilence(error: unknown): boolean {
  const failure = failureIn(error)
  if (failure === null) return false
  const { code, cause } = failure
  if (code === 'UNAVAILABLE') return !(cause instanceof NodeReply) || notReady === cause.rpcCode || isRateLimit(cause)
  return code === 'DEADLINE_EXCEEDED' || code === 'CANCELLED'
}

/**
 * True where a failure of a call says nothing about what was called: the node was silent, or does not have the block that
 * the call names, which has left the chain or did not reach it yet.
 */
export function provesNothing(error: unknown): boolean {
  const failure = failureIn(error)
  if (failure === null || failure.code === 'EXECUTION_REVERTED') return false // a contract may choose any text
  return isSilence(error) || missingBlock.test(failure.message)
}

/** As geth, reth, erigon, nethermind and anvil report such a block. */
const missingBlock =
  /header (for hash )?not found|block not found|unknown block|resource not found|not currently canonical|is not canonical/i

/** True where a node has no block of the kind that a call names. */
export function isMissingBlock(failure: DomainError): boolean {
  return failure.code === 'NOT_FOUND' && failure.cause instanceof NodeReply
}

/** The code of a node that is not ready. */
const notReady = -32002

/** How long a node that limits its rate asked to wait, in milliseconds, 0 where it did not say; null for other failures. */
export function rateLimitOf({ code, cause }: DomainError): number | null {
  // Some refuse a long range of logs with the code of a rate limit.
  if (code === 'LIMIT_EXCEEDED') return null
  return cause instanceof NodeReply && isRateLimit(cause) ? cause.retryAfterMs : null
}

/** Whether a node's error says that the caller has used up its rate or its quota. */
export function isRateLimit({ message, ...error }: { message: string; rpcCode?: number; code?: number }): boolean {
  return limitCodes.has(error.rpcCode ?? error.code ?? 0) || (limitWords.test(message) && !/revert/i.test(message))
}

/** Codes of providers for it: some answer with the HTTP status 200. */
const limitCodes: ReadonlySet<number> = new Set([-32005, -32016, -32029, -32097, 429])
const limitWords =
  /rate.?limit|too many requests|(requests?|quota|capacity|credits?|throughput|compute units) .{0,40}(exceeded|limit|reached|used up|exhausted)/i

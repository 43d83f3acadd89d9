import { DomainError } from '../../../domain/core/errors.ts'

/** The error object that a node returned in place of a result. */
export type NodeFailure = { code: number; message: string; data?: unknown }

/** The cause of a DomainError where a node responded with an error: its text without addresses, and its code. */
export class NodeReply extends Error {
  override readonly name = 'NodeReply'
  readonly rpcCode: number

  constructor({ code, message }: NodeFailure) {
    super(`${message} (${code})`)
    this.rpcCode = code
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
  if (code === 'UNAVAILABLE') return !(cause instanceof NodeReply) || putOff.has(cause.rpcCode)
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
  /header not found|block not found|unknown block|resource not found|not currently canonical|is not canonical/i

/** Codes of a node that limits its rate or is not ready. */
const putOff: ReadonlySet<number> = new Set([-32005, 429, -32002])

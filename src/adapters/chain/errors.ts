import {
  BaseError,
  HttpRequestError,
  RpcRequestError,
  SocketClosedError,
  TimeoutError,
  WebSocketRequestError,
} from 'viem'
import { DomainError } from '../../domain/errors.ts'
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

const refusals = [
  {
    kind: 'nonce_too_low',
    pattern: /nonce (is )?too low|oldnonce|invalid nonce.*already|nonce has already been used/i,
    say: 'Its nonce was used already; take the next one.',
  },
  {
    kind: 'nonce_too_high',
    pattern: /nonce (is )?too high|noncegap|nonce gap/i,
    say: 'Its nonce leaves a gap; take the next one.',
  },
  {
    kind: 'insufficient_funds',
    pattern: /insufficient ?funds|doesn't have enough funds|insufficient balance|insufficient sender balance/i,
    say: 'The account cannot pay for the gas and the value; give it more of the native currency.',
  },
  {
    kind: 'replacement_underpriced',
    pattern: /replacement transaction underpriced|could not replace existing|replacementnotallowed/i,
    say: 'Another transaction waits with that nonce; offer more gas price to replace it.',
  },
  {
    kind: 'fee_below_base_fee',
    pattern: /(less|lower) than (the )?(block|current block) base ?fee|fee cap less than|below (the )?base ?fee/i,
    say: 'It offers less than the base fee of the block; read the fees again.',
  },
  {
    kind: 'underpriced',
    pattern: /underpriced|gas price (is )?too low|feetoolow|fee too low|tip.*(too low|minimum)/i,
    say: 'It offers too little for its gas; read the fees again.',
  },
  {
    kind: 'gas_too_low',
    pattern: /intrinsic gas|gas too low|intrinsicgas|gaslimittoolow/i,
    say: 'Its gas limit is below what any such transaction needs.',
  },
  {
    kind: 'gas_too_high',
    pattern: /exceeds (block|transaction|max).*gas|gas limit (reached|exceeded|too high)|gaslimitexceeded/i,
    say: 'Its gas limit is above what a block holds.',
  },
  { kind: 'wrong_chain', pattern: /chain ?id|invalid sender|replay.protect/i, say: 'It is signed for another chain.' },
] as const

const known = /already (known|imported|in (the )?(mem)?pool)|alreadyknown|known transaction|same hash/i
const full = /(tx|transaction) ?pool is full|txpool.*(full|overflow|limit)|pool.*full/i

/** What a node's answer to a sent transaction means: null where the node has it already. */
export function refusalOf(message: string): { kind: string; say: string } | null {
  if (known.test(message)) return null
  if (full.test(message)) return { kind: 'pool_full', say: 'The node takes no more transactions just now; try again.' }
  const row = refusals.find(({ pattern }) => pattern.test(message))
  return row === undefined ? { kind: 'other', say: 'The node refused it.' } : { kind: row.kind, say: row.say }
}

/** What to throw where sending failed; null where the node knows the transaction, which is success. */
export function sendFailure(chainName: string, error: unknown): DomainError | null {
  if (isSilence(error)) return chainError(chainName, error)
  const refusal = refusalOf(messageOf(error))
  if (refusal === null) return null
  // Words that nobody has listed prove nothing of the transaction: a node may be out of order, or have it all the same.
  const code = refusal.kind === 'pool_full' || refusal.kind === 'other' ? 'UNAVAILABLE' : 'TRANSACTION_REJECTED'
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

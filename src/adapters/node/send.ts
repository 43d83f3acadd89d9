import { keccak256 } from 'viem'
import { DomainError } from '../../domain/core/errors.ts'
import type { Hex } from '../../domain/ports/chains.ts'
import { isKnownAlready } from './errors/node-errors.ts'
import type { Upstream } from './upstream.ts'

/** Sends signed bytes and answers their hash. Sending them again is a success, be they waiting or in a block. */
export async function sendRaw(upstream: Upstream, params: readonly unknown[], signal: AbortSignal): Promise<Hex> {
  const hash = keccak256(params[0] as Hex)
  try {
    // The hash of a transaction that brings blobs is not that of its bytes: the node's word comes first.
    const told = await upstream.request('eth_sendRawTransaction', params, signal)
    return isHash(told) ? told : hash
  } catch (failure) {
    if (!(failure instanceof DomainError)) throw failure
    if (!isKnownAlready(failure) && !(await isIncluded(upstream, hash, failure, signal))) throw failure
    return hash
  }
}

function isHash(told: unknown): told is Hex {
  return typeof told === 'string' && /^0x[0-9a-f]{64}$/i.test(told)
}

/** A nonce that was used may have been used by this very transaction. */
async function isIncluded(upstream: Upstream, hash: Hex, failure: DomainError, signal: AbortSignal): Promise<boolean> {
  if (failure.details.metadata?.refusal !== 'nonce_too_low') return false
  const found = await upstream.request('eth_getTransactionByHash', [hash], signal).catch(() => null)
  return found !== null
}

import { keccak256 } from 'viem'
import { DomainError } from '../../domain/core/errors.ts'
import type { Hex } from '../../domain/ports/chains.ts'
import { isHash } from '../../kit/hex.ts'
import { isKnownAlready } from './errors/node-errors.ts'

type Call = (method: string, params: readonly unknown[]) => Promise<unknown>

/**
 * Sends signed bytes and returns the hash of the transaction. Sending them again is a success, whether the transaction
 * is pending or mined.
 */
export async function sendRaw(call: Call, raw: Hex): Promise<Hex> {
  try {
    // The hash of a blob transaction is not the hash of its bytes, so the node's own result comes first.
    const result = await call('eth_sendRawTransaction', [raw])
    return isHash(result) ? result : keccak256(raw)
  } catch (failure) {
    if (!(failure instanceof DomainError)) throw failure
    const hash = keccak256(raw)
    if (!isKnownAlready(failure) && !(await isIncluded(call, hash, failure))) throw failure
    return hash
  }
}

/** A nonce that was used already may have been used by this very transaction. */
async function isIncluded(call: Call, hash: Hex, failure: DomainError): Promise<boolean> {
  if (failure.details.metadata?.refusal !== 'nonce_too_low') return false
  return (await call('eth_getTransactionByHash', [hash]).catch(() => null)) !== null
}

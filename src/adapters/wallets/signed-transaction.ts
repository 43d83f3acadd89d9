import { keccak256, parseTransaction, recoverTransactionAddress, type TransactionSerialized } from 'viem'
import { DomainError } from '../../domain/core/errors.ts'
import type { Hex, SignableTransaction } from '../../domain/ports/chains.ts'

/**
 * The signed bytes with their hash, once they are what was asked for: every field the same, nothing added, and signed by
 * that account. Throws FAILED_PRECONDITION otherwise; nobody may send such bytes.
 */
export async function verified(raw: Hex, from: Hex, asked: SignableTransaction): Promise<{ raw: Hex; hash: Hex }> {
  const wrong = await wrongPart(raw, from, asked).catch(() => 'form')
  if (wrong === null) return { raw, hash: keccak256(raw) }
  throw new DomainError(
    'FAILED_PRECONDITION',
    `The remote signer signed another transaction than it was asked to (its ${wrong} differs); nothing was sent.`,
  )
}

async function wrongPart(raw: Hex, from: Hex, asked: SignableTransaction): Promise<string | null> {
  const signed = parseTransaction(raw)
  if (signed.type !== 'eip1559') return 'type'
  // Zero and empty are not written.
  const same = {
    chainId: signed.chainId === asked.chainId,
    nonce: (signed.nonce ?? 0) === asked.nonce,
    to: signed.to?.toLowerCase() === asked.to.toLowerCase(),
    data: (signed.data ?? '0x').toLowerCase() === asked.data.toLowerCase(),
    value: (signed.value ?? 0n) === asked.value,
    gas: (signed.gas ?? 0n) === asked.gas,
    maxFeePerGas: (signed.maxFeePerGas ?? 0n) === asked.maxFeePerGas,
    maxPriorityFeePerGas: (signed.maxPriorityFeePerGas ?? 0n) === asked.maxPriorityFeePerGas,
    accessList: (signed.accessList ?? []).length === 0,
  }
  const field = Object.entries(same).find(([, equal]) => !equal)?.[0]
  if (field !== undefined) return field
  const signer = await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized })
  return signer.toLowerCase() === from.toLowerCase() ? null : 'signature'
}

import { keccak256, parseTransaction, recoverTransactionAddress, type TransactionSerialized } from 'viem'
import { DomainError } from '../../domain/core/errors.ts'
import type { Hex, SignableTransaction } from '../../domain/ports/chains.ts'

/**
 * Checks that signed bytes are the requested transaction: every field equal, nothing added, signed by that account.
 * Returns them with their hash. Throws FAILED_PRECONDITION otherwise; such bytes must not be sent.
 */
export async function verified(raw: Hex, from: Hex, requested: SignableTransaction): Promise<{ raw: Hex; hash: Hex }> {
  const wrong = await wrongPart(raw, from, requested).catch(() => 'form')
  if (wrong === null) return { raw, hash: keccak256(raw) }
  throw new DomainError(
    'FAILED_PRECONDITION',
    `The remote signer signed a different transaction (its ${wrong} differs). Nothing was sent.`,
  )
}

async function wrongPart(raw: Hex, from: Hex, requested: SignableTransaction): Promise<string | null> {
  const signed = parseTransaction(raw)
  if (signed.type !== 'eip1559') return 'type'
  // Zero and empty fields are absent in the parsed transaction.
  const same = {
    chainId: signed.chainId === requested.chainId,
    nonce: (signed.nonce ?? 0) === requested.nonce,
    to: signed.to?.toLowerCase() === requested.to.toLowerCase(),
    data: (signed.data ?? '0x').toLowerCase() === requested.data.toLowerCase(),
    value: (signed.value ?? 0n) === requested.value,
    gas: (signed.gas ?? 0n) === requested.gas,
    maxFeePerGas: (signed.maxFeePerGas ?? 0n) === requested.maxFeePerGas,
    maxPriorityFeePerGas: (signed.maxPriorityFeePerGas ?? 0n) === requested.maxPriorityFeePerGas,
    accessList: (signed.accessList ?? []).length === 0,
  }
  const field = Object.entries(same).find(([, equal]) => !equal)?.[0]
  if (field !== undefined) return field
  const signer = await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized })
  return signer.toLowerCase() === from.toLowerCase() ? null : 'signature'
}

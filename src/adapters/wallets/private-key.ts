import { secp256k1 } from '@noble/curves/secp256k1'
import { hexToBytes, keccak256, numberToHex, serializeTransaction, type TransactionSerializable, toHex } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import type { Hex, SignableTransaction } from '../../domain/ports/chains.ts'

/**
 * Private keys of secp256k1 as 32 bytes. They never become texts, which could not be wiped; the library makes a number of
 * the bytes while it computes.
 */
export function newPrivateKey(): Uint8Array {
  return secp256k1.utils.randomPrivateKey()
}

export function addressOfKey(key: Uint8Array): Hex {
  return publicKeyToAddress(toHex(secp256k1.getPublicKey(key, false)))
}

/** Signs an EIP-1559 or a legacy transaction, always to the same bytes. Throws where a field is out of range. */
export function signedWith(key: Uint8Array, transaction: SignableTransaction): { raw: Hex; hash: Hex } {
  const unsigned = typed(transaction)
  const { r, s, recovery } = secp256k1.sign(hexToBytes(keccak256(serializeTransaction(unsigned))), key, { lowS: true })
  const parts = { r: numberToHex(r, { size: 32 }), s: numberToHex(s, { size: 32 }) }
  // A legacy transaction has the parity in `v`, which the library combines with the chain id.
  const raw = serializeTransaction(unsigned, { ...parts, yParity: recovery, v: BigInt(27 + recovery) })
  return { raw, hash: keccak256(raw) }
}

/** The bytes whose hash a signature is of. Throws where a field is out of range. */
export function unsignedBytes(transaction: SignableTransaction): Hex {
  return serializeTransaction(typed(transaction))
}

/** The transaction of the type that its fees stand for. */
function typed({ maxFeePerGas, maxPriorityFeePerGas, to, ...others }: SignableTransaction): TransactionSerializable {
  // A wrong checksum must not make a transaction unsignable, because its nonce would block all later ones.
  const rest = { ...others, to: to.toLowerCase() as Hex }
  return maxPriorityFeePerGas === null
    ? { ...rest, type: 'legacy', gasPrice: maxFeePerGas }
    : { ...rest, type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas }
}

import { secp256k1 } from '@noble/curves/secp256k1'
import { hexToBytes, keccak256, numberToHex, serializeTransaction, toHex } from 'viem'
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

/** Signs an EIP-1559 transaction, always to the same bytes. Throws where a field is out of range. */
export function signedWith(key: Uint8Array, transaction: SignableTransaction): { raw: Hex; hash: Hex } {
  // A wrong checksum must not make a transaction unsignable, because its nonce would block all later ones.
  const unsigned = { ...transaction, to: transaction.to.toLowerCase() as Hex, type: 'eip1559' } as const
  const { r, s, recovery } = secp256k1.sign(hexToBytes(keccak256(serializeTransaction(unsigned))), key, { lowS: true })
  const size = { size: 32 }
  const raw = serializeTransaction(unsigned, { r: numberToHex(r, size), s: numberToHex(s, size), yParity: recovery })
  return { raw, hash: keccak256(raw) }
}

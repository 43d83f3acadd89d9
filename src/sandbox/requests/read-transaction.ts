import {
  FeeCapTooHighError,
  type Hex,
  isHex,
  numberToHex,
  recoverAddress,
  TipAboveFeeCapError,
  type TransactionSerializable,
} from 'viem'
import { RpcError } from '../kit/rpc-error.ts'
import { isKnownType, type ParsedTransaction, parseSigned } from '../pool/parse-signed.ts'

/** The usual size limit of nodes for a transaction. */
const maxBytes = 131_072

/** A transaction as it arrived, and decoded. */
export type Read = { raw: Hex; sender: Hex; transaction: TransactionSerializable }

/** Half of the curve's order. Of the two signatures with the same r, EIP-2 permits the one whose s is not above it. */
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/**
 * Decodes a raw transaction and recovers its sender. Throws RpcError where it cannot be decoded, and where no block of
 * the chain could contain it because of its type, chain id, signature or fees.
 */
export async function readTransaction(raw: unknown, chainId: bigint): Promise<Read> {
  const canonical = demandBytes(raw)
  const parsed = decoded(canonical)
  demandChain(parsed, chainId)
  demandSignature(parsed)
  if (parsed.nonce > BigInt(Number.MAX_SAFE_INTEGER)) throw new RpcError(-32003, `nonce too high: ${parsed.nonce}`)
  const transaction = fieldsOf(parsed)
  return { raw: canonical, sender: await senderOf(parsed), transaction }
}

function demandBytes(raw: unknown): Hex {
  if (!isHex(raw) || raw.length < 4 || raw.length % 2 !== 0) {
    throw new RpcError(-32602, 'a raw transaction must be hex bytes')
  }
  if (raw.length > 2 + 2 * maxBytes) throw new RpcError(-32003, 'oversized data')
  const canonical = raw.toLowerCase() as Hex
  if (!isKnownType(canonical)) {
    throw new RpcError(-32003, `transaction type 0x${canonical.slice(2, 4)} is not accepted`)
  }
  return canonical
}

function decoded(raw: Hex): ParsedTransaction {
  try {
    return parseSigned(raw)
  } catch {
    throw undecodable()
  }
}

/** Presigned deployments name no chain, so that they work on every one. Only transactions of the oldest type can. */
function demandChain({ chainId, signature: { v } }: ParsedTransaction, own: bigint): void {
  if (chainId === null && v !== 27n && v !== 28n) throw invalidSignature()
  if (chainId !== null && chainId !== own)
    throw new RpcError(-32003, `invalid chain id for signer: have ${chainId} want ${own}`)
}

function demandSignature({ signature: { r, s }, parity }: ParsedTransaction): void {
  if (r === 0n || s === 0n || parity > 1n) throw invalidSignature()
  if (s > halfOrder) throw invalidSignature(": s is above half of the curve's order (EIP-2)")
}

function fieldsOf({ fields }: ParsedTransaction): TransactionSerializable {
  try {
    return fields()
  } catch (error) {
    if (error instanceof TipAboveFeeCapError)
      throw new RpcError(-32003, 'max priority fee per gas higher than max fee per gas')
    if (error instanceof FeeCapTooHighError) throw new RpcError(-32003, 'max fee per gas higher than 2^256-1')
    throw undecodable()
  }
}

async function senderOf({ signedHash, signature, parity }: ParsedTransaction): Promise<Hex> {
  try {
    const [r, s] = [signature.r, signature.s].map((value) => numberToHex(value, { size: 32 })) as [Hex, Hex]
    return await recoverAddress({ hash: signedHash, signature: { r, s, yParity: Number(parity) } })
  } catch {
    throw invalidSignature()
  }
}

function invalidSignature(reason = ''): RpcError {
  return new RpcError(-32003, `invalid transaction v, r, s values${reason}`)
}

function undecodable(): RpcError {
  return new RpcError(-32602, 'the raw transaction cannot be decoded')
}

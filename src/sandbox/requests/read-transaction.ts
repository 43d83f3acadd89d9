import {
  FeeCapTooHighError,
  fromRlp,
  type Hex,
  isHex,
  parseTransaction,
  recoverTransactionAddress,
  serializeTransaction,
  slice,
  TipAboveFeeCapError,
  type TransactionSerializable,
  type TransactionSerialized,
} from 'viem'
import { RpcError } from '../kit/rpc-error.ts'

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
  const { canonical, isLegacy } = demandBytes(raw)
  const fields = fieldsOf(canonical, isLegacy)
  if (isLegacy) demandChainOfLegacy(integer(fields[6]), chainId)
  else demandChain(integer(fields[0]), chainId)
  const [parity, r, s] = fields.slice(-3).map(integer)
  if (!r || !s || (!isLegacy && (parity ?? 2n) > 1n)) throw invalidSignature()
  if (s > halfOrder) throw invalidSignature(": s is above half of the curve's order (EIP-2)")
  const transaction = decoded(canonical)
  demandCanonical(canonical, transaction)
  return { raw: canonical, sender: await senderOf(canonical), transaction }
}

function demandBytes(raw: unknown): { canonical: Hex; isLegacy: boolean } {
  if (!isHex(raw) || raw.length < 4 || raw.length % 2 !== 0) {
    throw new RpcError(-32602, 'a raw transaction must be hex bytes')
  }
  if (raw.length > 2 + 2 * maxBytes) throw new RpcError(-32003, 'oversized data')
  const canonical = raw.toLowerCase() as Hex
  const type = Number.parseInt(canonical.slice(2, 4), 16)
  if (type < 0xc0 && ![1, 2, 4].includes(type)) {
    throw new RpcError(-32003, `transaction type 0x${canonical.slice(2, 4)} is not accepted`)
  }
  return { canonical, isLegacy: type >= 0xc0 }
}

function fieldsOf(raw: Hex, isLegacy: boolean): readonly unknown[] {
  try {
    const fields = fromRlp(isLegacy ? raw : slice(raw, 1), 'hex')
    if (Array.isArray(fields) && fields.length >= 9) return fields
  } catch {
    // Refused below.
  }
  throw undecodable()
}

function integer(field: unknown): bigint {
  if (typeof field !== 'string') throw undecodable()
  return field === '0x' ? 0n : BigInt(field)
}

/** Presigned deployments name no chain, so that they work on every one. Only transactions of the oldest type can. */
function demandChainOfLegacy(v: bigint, own: bigint): void {
  if (v === 27n || v === 28n) return
  if (v < 35n) throw invalidSignature()
  demandChain((v - 35n) / 2n, own)
}

function demandChain(id: bigint, own: bigint): void {
  if (id !== own) throw new RpcError(-32003, `invalid chain id for signer: have ${id} want ${own}`)
}

function decoded(raw: Hex): TransactionSerializable {
  try {
    return parseTransaction(raw)
  } catch (error) {
    if (error instanceof TipAboveFeeCapError)
      throw new RpcError(-32003, 'max priority fee per gas higher than max fee per gas')
    if (error instanceof FeeCapTooHighError) throw new RpcError(-32003, 'max fee per gas higher than 2^256-1')
    throw undecodable()
  }
}

/** The engine would know a transaction that is encoded otherwise under another hash than its caller does. */
function demandCanonical(raw: Hex, transaction: TransactionSerializable): void {
  const { r, s, v, yParity } = transaction as TransactionSerializable & Record<'r' | 's' | 'v' | 'yParity', never>
  if (serializeTransaction(transaction, { r, s, v, yParity }) !== raw) throw undecodable()
}

async function senderOf(raw: Hex): Promise<Hex> {
  try {
    return await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized })
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

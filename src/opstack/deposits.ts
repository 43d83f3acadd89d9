import { concat, type Hex, hexToBigInt, keccak256, numberToHex, pad, slice, toEventSelector, toRlp } from 'viem'
import { lower } from './messages.ts'
import { rlpInteger } from './rlp-integer.ts'

/** The fields of a parent chain's log that identify a deposit, in JSON-RPC form. */
export type ParentLog = { blockHash: Hex; logIndex: Hex; transactionHash: Hex; topics: readonly Hex[]; data: Hex }

/** A deposit transaction. Its hash is derived from the other fields; `to` is null where it creates a contract. */
export type Deposit = Record<
  'hash' | 'sourceHash' | 'from' | 'mint' | 'value' | 'gas' | 'data' | 'parentTransaction',
  Hex
> & {
  to: Hex | null
}

/** The type of deposit transactions. */
export const depositType = '0x7e'

export const depositedTopic = toEventSelector('TransactionDeposited(address,address,uint256,bytes)')

/** The deposit transaction of a `TransactionDeposited` log; null where its version is unknown. */
export function depositOf(log: ParentLog): Deposit | null {
  const [, from, to, version] = log.topics
  if (!from || !to || !version || hexToBigInt(version) !== 0n) return null
  const opaque = dynamicBytes(log.data)
  const isCreation = slice(opaque, 72, 73) === '0x01'
  const fields = {
    sourceHash: sourceHash(log),
    from: lower(slice(from, 12)),
    to: isCreation ? null : lower(slice(to, 12)),
    mint: quantity(slice(opaque, 0, 32)),
    value: quantity(slice(opaque, 32, 64)),
    gas: quantity(slice(opaque, 64, 72)),
    data: opaque.length > 2 + 2 * 73 ? lower(slice(opaque, 73)) : ('0x' as const),
  }
  return { hash: depositHash(fields), ...fields, parentTransaction: log.transactionHash }
}

/** The unique id of a deposit, derived from its log. The leading zero word marks a deposit by a user. */
function sourceHash({ blockHash, logIndex }: ParentLog): Hex {
  const id = keccak256(concat([blockHash, pad(logIndex, { size: 32 })]))
  return keccak256(concat([numberToHex(0, { size: 32 }), id]))
}

/** The hash of the transaction with these fields. */
export function depositHash(deposit: Omit<Deposit, 'hash' | 'parentTransaction'>): Hex {
  const { sourceHash: source, from, to, mint, value, gas, data } = deposit
  const isSystem = '0x'
  return keccak256(
    concat([
      depositType,
      toRlp([source, from, to ?? '0x', rlpInteger(mint), rlpInteger(value), rlpInteger(gas), isSystem, data]),
    ]),
  )
}

/** Decodes log data that is one `bytes` argument. */
function dynamicBytes(data: Hex): Hex {
  const length = Number(hexToBigInt(slice(data, 32, 64)))
  return slice(data, 64, 64 + length)
}

function quantity(value: Hex): Hex {
  return numberToHex(hexToBigInt(value))
}

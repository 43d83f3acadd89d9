import { concat, type Hex, keccak256, numberToHex, toFunctionSelector } from 'viem'
import { depositHash } from '../../opstack/deposits.ts'
import { depositor, l1Block } from '../../opstack/l1-attributes.ts'
import type { Deposit } from '../log/records.ts'
import type { BlockId } from './ledger.ts'

/** A block of the parent chain, as far as the rollup knows it. Its time is in seconds, its base fee in wei. */
export type Origin = BlockId & { timestamp: number; baseFee: bigint }

const selector = toFunctionSelector('setL1BlockValuesIsthmus()')
const gas = 1_000_000
const nothing: Hex = '0x0'
/** The parent chain has no blobs, and a blob without others costs the least. */
const blobBaseFee = 1n
/** The rollup takes no fee for its data and none for its operator, and has nobody who signs batches. */
const free = { baseFeeScalar: 0, blobBaseFeeScalar: 0, batcher: 0, operatorFeeScalar: 0, operatorFeeConstant: 0 }

/** The deposit by which a rollup block begins: it tells the rollup its origin, and how many blocks before had the same. */
export function attributesDeposit(origin: Origin, sequence: number): Deposit {
  const fields = {
    sourceHash: sourceOf(origin, sequence),
    ...{ from: depositor, to: l1Block, mint: nothing, value: nothing, gas: numberToHex(gas) },
    data: packed(origin, sequence),
  }
  return { hash: depositHash(fields), ...fields, parentTransaction: null }
}

/** The leading one stands for "by the rollup's own system". */
function sourceOf({ hash }: BlockId, sequence: number): Hex {
  return keccak256(concat([word(1), keccak256(concat([hash, word(sequence)]))]))
}

function packed({ number, timestamp, baseFee, hash }: Origin, sequence: number): Hex {
  return concat([
    selector,
    numberToHex(free.baseFeeScalar, { size: 4 }),
    numberToHex(free.blobBaseFeeScalar, { size: 4 }),
    ...[sequence, timestamp, number].map((value) => numberToHex(value, { size: 8 })),
    ...[word(baseFee), word(blobBaseFee), hash, word(free.batcher)],
    numberToHex(free.operatorFeeScalar, { size: 4 }),
    numberToHex(free.operatorFeeConstant, { size: 8 }),
  ])
}

function word(value: number | bigint): Hex {
  return numberToHex(value, { size: 32 })
}

import { concat, type Hex, keccak256, numberToHex, toFunctionSelector } from 'viem'
import { depositHash } from '../../opstack/deposits.ts'
import { depositor } from '../../opstack/l1-attributes.ts'
import { l1Block } from '../../opstack/predeploys.ts'
import type { Deposit } from '../log/records.ts'
import type { BlockId } from './ledger.ts'

/** A block of the parent chain on which rollup blocks build. Its time is in seconds, its base fee in wei. */
export type Origin = BlockId & { timestamp: number; baseFee: bigint }

const selector = toFunctionSelector('setL1BlockValuesIsthmus()')
/** The gas that it may use. */
export const attributesGas = 1_000_000
const zero: Hex = '0x0'
/** The parent chain has no blobs, so their fee is the lowest possible. */
const blobBaseFee = 1n
/** The rollup charges no data fee and no operator fee, and has no batcher. */
const noFees = { baseFeeScalar: 0, blobBaseFeeScalar: 0, batcher: 0, operatorFeeScalar: 0, operatorFeeConstant: 0 }

/**
 * The first deposit of a rollup block. It passes the origin to the rollup, and the number of earlier blocks with the same
 * origin.
 */
export function attributesDeposit(origin: Origin, sequence: number): Deposit {
  const fields = {
    sourceHash: sourceOf(origin, sequence),
    from: depositor,
    to: l1Block,
    mint: zero,
    value: zero,
    gas: numberToHex(attributesGas),
    data: packed(origin, sequence),
  }
  return { hash: depositHash(fields), ...fields, parentTransaction: null }
}

/** The leading one is the OP Stack's domain of deposits of the rollup itself. */
function sourceOf({ hash }: BlockId, sequence: number): Hex {
  return keccak256(concat([word(1), keccak256(concat([hash, word(sequence)]))]))
}

function packed({ number, timestamp, baseFee, hash }: Origin, sequence: number): Hex {
  return concat([
    selector,
    numberToHex(noFees.baseFeeScalar, { size: 4 }),
    numberToHex(noFees.blobBaseFeeScalar, { size: 4 }),
    ...[sequence, timestamp, number].map((value) => numberToHex(value, { size: 8 })),
    word(baseFee),
    word(blobBaseFee),
    hash,
    word(noFees.batcher),
    numberToHex(noFees.operatorFeeScalar, { size: 4 }),
    numberToHex(noFees.operatorFeeConstant, { size: 8 }),
  ])
}

function word(value: number | bigint): Hex {
  return numberToHex(value, { size: 32 })
}

import { decodeFunctionData, type Hex, hexToBigInt, hexToNumber, numberToHex, parseAbi, slice } from 'viem'
import { l1Block } from './predeploys.ts'

/** The sender of each block's first transaction, which updates `l1Block`. No key exists for it. */
export const depositor: Hex = '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001'

/** The first version of the call (Bedrock). Later versions have packed values, at the byte ranges of `packed`. */
const firstAbi = parseAbi([
  'function setL1BlockValues(uint64 number, uint64 timestamp, uint256 baseFee, bytes32 hash, uint64 sequence, bytes32 batcher, uint256 overhead, uint256 scalar)',
])
const firstSelector = '0x015d8eb9'
const packed = { number: [28, 36], baseFee: [36, 68], blobBaseFee: [68, 100], hash: [100, 132] } as const

type FirstTransaction = { to: Hex | null; input: Hex } | null

/**
 * The parent block on which a rollup block builds, read from the block's first transaction; null where that is not the
 * L1-attributes deposit.
 */
export function originIn(first: FirstTransaction): { number: number; hash: Hex } | null {
  if (first?.to?.toLowerCase() !== l1Block) return null
  const { input } = first
  try {
    if (input.startsWith(firstSelector)) {
      const [number, , , hash] = decodeFunctionData({ abi: firstAbi, data: input }).args
      return { number: Number(number), hash }
    }
    return {
      number: hexToNumber(slice(input, ...packed.number, { strict: true })),
      hash: slice(input, ...packed.hash, { strict: true }),
    }
  } catch {
    return null
  }
}

/**
 * The base fees for gas and blob gas of that parent block in wei, with the names of the rollup's receipts. Null where the
 * first transaction is not the L1-attributes deposit, or has its first version.
 */
export function parentPricesIn(first: FirstTransaction): { l1GasPrice: Hex; l1BlobBaseFee: Hex } | null {
  if (first?.to?.toLowerCase() !== l1Block || first.input.startsWith(firstSelector)) return null
  const quantity = ([from, to]: readonly [number, number]) =>
    numberToHex(hexToBigInt(slice(first.input, from, to, { strict: true })))
  try {
    return { l1GasPrice: quantity(packed.baseFee), l1BlobBaseFee: quantity(packed.blobBaseFee) }
  } catch {
    return null
  }
}

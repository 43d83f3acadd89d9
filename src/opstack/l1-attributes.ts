import { decodeFunctionData, type Hex, hexToBigInt, hexToNumber, numberToHex, parseAbi, slice } from 'viem'

/** The contract by which a rollup knows its parent chain. */
export const l1Block: Hex = '0x4200000000000000000000000000000000000015'

/** Who sends the first transaction of each block, by which that contract learns the block's origin. It has no key. */
export const depositor: Hex = '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001'

/** The first form of the call; the later ones have their values packed, each after the ones before it. */
const firstAbi = parseAbi([
  'function setL1BlockValues(uint64 number, uint64 timestamp, uint256 baseFee, bytes32 hash, uint64 sequence, bytes32 batcher, uint256 overhead, uint256 scalar)',
])
const firstSelector = '0x015d8eb9'
const packed = { number: [28, 36], baseFee: [36, 68], blobBaseFee: [68, 100], hash: [100, 132] } as const

type FirstTransaction = { to: Hex | null; input: Hex } | null

/**
 * The parent's block that a rollup block builds on, as the block's first transaction says it; null where that is
 * another one.
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
 * What gas and the gas of blobs cost in that parent block, in wei, as receipts of the rollup say it. Null where the
 * block's first transaction is another one, or tells it in the first form.
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

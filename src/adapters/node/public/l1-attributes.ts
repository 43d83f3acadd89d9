import { decodeFunctionData, type Hex, hexToNumber, parseAbi, slice } from 'viem'

const l1Block = '0x4200000000000000000000000000000000000015'

/** The first form of the call; the later ones have their values packed, each after the ones before it. */
const firstAbi = parseAbi([
  'function setL1BlockValues(uint64 number, uint64 timestamp, uint256 baseFee, bytes32 hash, uint64 sequence, bytes32 batcher, uint256 overhead, uint256 scalar)',
])
const firstSelector = '0x015d8eb9'
const packed = { number: [28, 36], hash: [100, 132] } as const

/**
 * The parent's block that a rollup block builds on, as the block's first transaction says it; null where that is
 * another one.
 */
export function originIn(first: { to: Hex | null; input: Hex } | null): { number: number; hash: Hex } | null {
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

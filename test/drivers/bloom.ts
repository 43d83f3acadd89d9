import { bytesToHex, type Hex, hexToBytes, keccak256 } from 'viem'

const bloomBytes = 256

/** The bloom of a block's header for these logs. */
export function bloomOf(logs: readonly { address: Hex; topics: readonly Hex[] }[]): Hex {
  const bloom = new Uint8Array(bloomBytes)
  for (const entry of new Set(logs.flatMap(({ address, topics }) => [address, ...topics]))) {
    const hashed = Buffer.from(hexToBytes(keccak256(entry)))
    for (const place of [0, 2, 4]) {
      const bit = hashed.readUInt16BE(place) % (bloomBytes * 8)
      bloom[bloomBytes - 1 - (bit >> 3)]! |= 1 << (bit & 7)
    }
  }
  return bytesToHex(bloom)
}

import { createHash } from 'node:crypto'
import { cents } from './market-facts.ts'

/** Figures that are made up, of chains that the sandbox does not have: the same at every start, and marked as such. */
export type SyntheticChain = { name: string; chainId: number; tokenSymbol: string; tvlUsd: number }

const chains: readonly SyntheticChain[] = [
  { name: 'Ethereum', chainId: 1, tokenSymbol: 'ETH', tvlUsd: 61_000_000_000 },
  { name: 'BSC', chainId: 56, tokenSymbol: 'BNB', tvlUsd: 6_100_000_000 },
  { name: 'Base', chainId: 8453, tokenSymbol: 'ETH', tvlUsd: 4_200_000_000 },
  { name: 'Arbitrum', chainId: 42_161, tokenSymbol: 'ETH', tvlUsd: 2_900_000_000 },
  { name: 'Polygon', chainId: 137, tokenSymbol: 'POL', tvlUsd: 1_100_000_000 },
  { name: 'OP Mainnet', chainId: 10, tokenSymbol: 'ETH', tvlUsd: 700_000_000 },
]

/** Every made-up chain with its value on a day, counted in days since 1970. */
export function syntheticChains(day: number): SyntheticChain[] {
  return chains.map((chain) => ({ ...chain, tvlUsd: cents(chain.tvlUsd * drift(chain.name, day)) }))
}

/** A factor of a day about 1: a slow wave and a seeded step of at most 1 %. */
function drift(name: string, day: number): number {
  const seed = createHash('sha256').update(`${name}:${day}`).digest().readUInt16BE(0) / 65_535
  return 1 + 0.08 * Math.sin((day / 90) * Math.PI) + 0.02 * (seed - 0.5)
}

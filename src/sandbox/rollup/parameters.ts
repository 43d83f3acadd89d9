import type { Address } from 'viem'

/** What the rollup and its parent chain agree on, and how far each head stays behind. */

export const parentChainId = 900

/** Contracts of the parent chain, put in place by its genesis. */
export const parentAddresses = {
  portal: '0x9000000000000000000000000000000000000001',
  l2OutputOracle: '0x9000000000000000000000000000000000000002',
  systemConfig: '0x9000000000000000000000000000000000000003',
} as const satisfies Record<string, Address>

/** A contract of the rollup that everybody expects there, put in place by its genesis. */
export const gasPriceOracle: Address = '0x420000000000000000000000000000000000000f'

/**
 * A parent block is built on once this many others follow it. With one, whatever the rollup builds on is on the parent's
 * disk as a whole: no crash can make the parent come back with another block in its place.
 */
export const originDepth = 1

/** A rollup block is safe, as if the parent had its batch, this many parent blocks after its origin. */
export const batchDelay = 4

/** The parent's own safe and finalized heads are one and two epochs behind its newest block. */
export const epochBlocks = 4
export const parentFinality = 2 * epochBlocks

/** An output is proposed of each rollup block whose number is a multiple of this. */
export const outputInterval = 10

/** Seconds between the proof of a withdrawal and its payment. */
export const maturitySeconds = 10

/** Gas that the deposits of one rollup block may ask for, so that others find room beside them. */
export const depositGasLimit = 40_000_000n

/** The address to which batches of a rollup are sent by custom: its chain id in decimal digits. */
export function batchInbox(chainId: number): Address {
  return `0xff${String(chainId).padStart(38, '0')}`
}

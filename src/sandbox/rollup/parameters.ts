import type { Address } from 'viem'

/** The parameters that the rollup and its parent chain share. */

export const parentChainId = 900

/** The contracts of the parent chain. They are part of its genesis. */
export const parentAddresses = {
  portal: '0x9000000000000000000000000000000000000001',
  l2OutputOracle: '0x9000000000000000000000000000000000000002',
  systemConfig: '0x9000000000000000000000000000000000000003',
} as const satisfies Record<string, Address>

/**
 * A parent block becomes an origin once this many others follow it. With one, every origin is completely on the parent's
 * disk: after a crash the parent cannot have another block in its place.
 */
export const originDepth = 1

/** A rollup block becomes safe, as if its batch were on the parent chain, this many parent blocks after its origin. */
export const batchDelay = 4

/** The parent's own safe and finalized heads are one and two epochs behind its newest block. */
export const epochBlocks = 4
export const parentFinality = 2 * epochBlocks

/** An output is proposed of each rollup block whose number is a multiple of this. */
export const outputInterval = 10

/** Seconds between the proof of a withdrawal and its payment. */
export const maturitySeconds = 10

/** The most gas of all deposits of one rollup block, so that other transactions have room too. */
export const depositGasLimit = 40_000_000n

/** The conventional address to which batches of a rollup are sent: its chain id in decimal digits. */
export function batchInbox(chainId: number): Address {
  return `0xff${String(chainId).padStart(38, '0')}`
}

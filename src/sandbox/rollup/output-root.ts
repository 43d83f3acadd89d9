import { concat, type Hex, keccak256 } from 'viem'
import type { LedgerBlock } from './ledger.ts'

export const outputVersion: Hex = `0x${'00'.repeat(32)}`

/** The output root of a rollup block, which commits to its state and all withdrawals. It is proposed to the parent chain. */
export function outputRoot({
  stateRoot,
  passerRoot,
  hash,
}: Pick<LedgerBlock, 'stateRoot' | 'passerRoot' | 'hash'>): Hex {
  return keccak256(concat([outputVersion, stateRoot, passerRoot, hash]))
}

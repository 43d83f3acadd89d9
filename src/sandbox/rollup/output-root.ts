import { concat, type Hex, keccak256 } from 'viem'
import type { LedgerBlock } from './ledger.ts'

export const outputVersion: Hex = `0x${'00'.repeat(32)}`

/** What the parent chain is shown of a rollup block: from it follow the whole state and every withdrawal. */
export function outputRoot({
  stateRoot,
  passerRoot,
  hash,
}: Pick<LedgerBlock, 'stateRoot' | 'passerRoot' | 'hash'>): Hex {
  return keccak256(concat([outputVersion, stateRoot, passerRoot, hash]))
}

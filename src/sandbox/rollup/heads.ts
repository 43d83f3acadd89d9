import type { Ledger, LedgerBlock } from './ledger.ts'
import { batchDelay, parentFinality } from './parameters.ts'

/** The newest block of the rollup, the newest whose data is on the parent chain, and the newest that is final there. */
export type Heads = { latest: LedgerBlock; safe: LedgerBlock; finalized: LedgerBlock }

/** Reads the heads for a head of the parent chain. They never go back, since neither that head nor an origin does. */
export function headsOf(ledger: Ledger, parentHead: number, genesis: number): Heads {
  const builtBefore = (parentNumber: number): LedgerBlock => {
    const block = ledger.lastBuiltOn(parentNumber - batchDelay)
    // The rollup begins with the blocks of the bootstrap, which need no batch.
    const first = ledger.block(genesis) ?? ledger.last()
    return block && block.number > first.number ? block : first
  }
  return {
    latest: ledger.last(),
    safe: builtBefore(parentHead),
    finalized: builtBefore(parentHead - parentFinality),
  }
}

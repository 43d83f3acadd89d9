import type { Ledger, LedgerBlock } from './ledger.ts'
import { batchDelay, parentFinality } from './parameters.ts'

/** How far the rollup has come: its newest block, the newest that the parent has data of, the newest of those that stays. */
export type Heads = { latest: LedgerBlock; safe: LedgerBlock; finalized: LedgerBlock }

/** Heads that never go back, since neither the parent's head nor a block's origin does. */
export function headsOf(ledger: Ledger, parentHead: number, genesis: number): Heads {
  const builtBefore = (parentNumber: number): LedgerBlock => {
    const block = ledger.lastBuiltOn(parentNumber - batchDelay)
    // The blocks in which the world was built are where the rollup begins; they need no batch.
    const first = ledger.block(genesis) ?? ledger.last()
    return block && block.number > first.number ? block : first
  }
  return {
    latest: ledger.last(),
    safe: builtBefore(parentHead),
    finalized: builtBefore(parentHead - parentFinality),
  }
}

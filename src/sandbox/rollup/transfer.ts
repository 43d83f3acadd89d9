import type { Hex } from 'viem'

/** A transaction of one of the two chains; `block` is null while it waits to be included. */
export type Leg = {
  hash: Hex
  block: { number: number; timestamp: Date; confirmations: number; succeeded: boolean } | null
}

/** How far a withdrawal is on the parent chain. Seconds are estimates, and 0 when nothing has to be waited for. */
export type Stage =
  | { at: 'begun'; secondsToOutput: number }
  | { at: 'provable' }
  | { at: 'proven'; secondsToMaturity: number }
  | { at: 'paid' }

/** Who sends what to whom, in wei. */
export type Parties = { from: Hex; to: Hex; amount: bigint }

/** Seconds that a block of each chain takes, that a proof has to ripen, and the blocks that the first leg's has to have. */
type Pace = { parentBlock: number; rollupBlock: number; maturity: number; confirmations: number }

/** What both chains know of a transfer over the bridge. The leg where it ends is null until that chain knows of it. */
export type Transfer = Parties & { pace: Pace } & (
    | { direction: 'deposit'; parent: Leg; rollup: Leg | null }
    | { direction: 'withdrawal'; rollup: Leg; parent: Leg | null; stage: Stage }
  )

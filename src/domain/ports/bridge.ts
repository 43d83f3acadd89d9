import type { Hex } from './chains.ts'

/**
 * A transaction of one of the two chains; `block` is null while it waits to be included. It is stranded where the
 * messenger that it called keeps the money, because the message that it brought failed.
 */
export type BridgeLeg = {
  hash: Hex
  block: { number: number; timestamp: Date; confirmations: number; succeeded: boolean; stranded?: true } | null
}

/** How far a withdrawal is, on the parent chain. Seconds are estimates, and 0 when nothing has to be waited for. */
export type WithdrawalStage =
  | { at: 'begun'; secondsToOutput: number }
  | { at: 'provable' }
  | { at: 'proven'; secondsToFinalize: number }
  | { at: 'paid' }

/** To nobody known goes what makes a contract, until that is there. */
type Parties = { from: Hex; to: Hex | null; amount: bigint }

/**
 * What both chains know of a transfer. The leg of the chain where it ends is null until it is known
 * there; where a withdrawal began is null if only the parent's side of it is found.
 */
export type BridgeFacts = Parties & {
  /** Seconds that a block of each chain takes, that a proof has to ripen, and the blocks that a deposit's has to have. */
  pace: { parentBlock: number; rollupBlock: number; finalizationSeconds: number; confirmations: number }
} & (
    | { direction: 'deposit'; parent: BridgeLeg; rollup: BridgeLeg | null }
    | { direction: 'withdrawal'; rollup: BridgeLeg | null; parent: BridgeLeg | null; stage: WithdrawalStage }
  )

/** The bridge between this chain and its parent. */
export type Bridge = {
  /**
   * What is known of the transfer that a transaction of either chain belongs to, by its hash; null where no chain knows
   * it, or it moves nothing over the bridge. Throws UNAVAILABLE.
   */
  facts(hash: Hex): Promise<BridgeFacts | null>
  /** Yields whenever a block of either chain may have changed the facts. Ends with the signal. */
  ticks(signal: AbortSignal): AsyncGenerator<void, void, undefined>
}

import type { Hex } from './chains.ts'

/**
 * A transaction on one of the two chains; `block` is null while it is pending. It is `stranded` where the messenger
 * contract holds the money because the message that it relayed failed.
 */
export type BridgeLeg = {
  hash: Hex
  block: { number: number; timestamp: Date; confirmations: number; succeeded: boolean; stranded?: true } | null
}

/** The progress of a withdrawal on the parent chain. Seconds are estimates, and 0 when there is nothing to wait for. */
export type WithdrawalStage =
  | { at: 'begun'; secondsToOutput: number }
  | { at: 'provable' }
  | { at: 'proven'; secondsToFinalize: number }
  | { at: 'paid' }

/**
 * `to` is null where the transfer deploys a contract whose address is not known yet. Everything is null where only the
 * parent chain's logs name a withdrawal, because they hold its hash alone.
 */
type Parties = { from: Hex | null; to: Hex | null; amount: bigint | null }

/**
 * A transfer as both chains show it. The leg on the destination chain is null until a transaction there belongs to it.
 * The rollup's leg of a withdrawal is null where only its transactions on the parent chain are found.
 */
export type BridgeFacts = Parties & {
  /**
   * The block time of each chain and the proof maturity delay, in seconds, and the confirmations that a deposit needs.
   */
  pace: { parentBlock: number; rollupBlock: number; finalizationSeconds: number; confirmations: number }
} & (
    | { direction: 'deposit'; parent: BridgeLeg; rollup: BridgeLeg | null }
    | {
        direction: 'withdrawal'
        /** Its own hash, by which the portal knows it; null before its transaction is mined, and where that reverted. */
        hash: Hex | null
        rollup: BridgeLeg | null
        parent: BridgeLeg | null
        stage: WithdrawalStage
      }
  )

/** The bridge between this chain and its parent. */
export type Bridge = {
  /**
   * The transfers that a transaction of either chain begins, proves or finalizes, in the order of its logs, by its hash;
   * a deposit is followed by the withdrawals that its call begins. Empty where neither chain has the transaction or it
   * transfers nothing over the bridge. Throws UNAVAILABLE.
   */
  facts(hash: Hex): Promise<BridgeFacts[]>
  /** Yields when the facts may have changed; for public nodes, at each change of the rollup's chain. Ends with the signal. */
  ticks(signal: AbortSignal): AsyncGenerator<void, void, undefined>
}

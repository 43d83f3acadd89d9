import type { Hex } from '../../domain/ports/chains.ts'

/** The node or nodes behind the chain's methods. Foreign errors arrive as DomainError. */
export type Upstream = {
  /**
   * One call. An aborted signal ends it with CANCELLED; what was sent may still happen. Where there are several nodes,
   * those whose answer does not suit are passed over for one whose answer does, if there is one.
   */
  request(
    method: string,
    params: readonly unknown[],
    signal: AbortSignal,
    suits?: (answer: unknown) => boolean,
  ): Promise<unknown>
  /** True while `onHint` tells of each new block at once, so that the newest block that was read is the newest. */
  tellsHeads(): boolean
  /**
   * Calls back when there may be something new, such as a block or a connection that is back. `number` is of a block
   * that exists, where that is known. A hint may be missed or come for nothing. Answers the function that ends it.
   */
  onHint(listener: (number?: bigint) => void): () => void
  /** Calls back with each transaction that begins to wait, where the node tells. */
  onPending(listener: (hash: Hex) => void): () => void
  /** Number of the newest block that cannot be taken back, below zero where nobody knows. */
  finalized(): bigint
}

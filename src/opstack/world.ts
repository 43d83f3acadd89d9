import type { Hex } from 'viem'
import type { BridgeFacts, BridgeLeg } from '../domain/ports/bridge.ts'
import type { BridgeChain } from './chain.ts'
import type { Outputs } from './outputs.ts'
import type { ChainTransaction } from './transaction.ts'

/** What both chains agree on, and how fast they are. */
export type BridgeTerms = {
  portal: Hex
  /** Contracts of the parent by which deposits may begin that end at the portal: the standard bridge, the messenger. */
  gateways: readonly Hex[]
  outputs: Outputs
  /** `confirmations` are the blocks that a deposit's parent block has to have. */
  pace: BridgeFacts['pace']
  /** Seconds until a rollup block is safe and an output of it can be proposed. */
  secondsToSafe: number
}

/** The two chains, and what only one who keeps books or has a rollup node can tell of them. */
export type BridgeWorld = {
  parent: BridgeChain
  rollup: BridgeChain
  terms: () => Promise<BridgeTerms>
  /** The parent's transaction that ordered a deposit which the rollup has. */
  orderOf: (deposit: ChainTransaction) => Promise<Hex | null>
  /** The rollup's transaction that began a withdrawal, known by its hash and number. */
  beginningOf: (withdrawal: Hex, nonce: bigint | null) => Promise<Hex | null>
  /** The parent's block that a rollup block builds on; null where nobody tells. */
  originOf: (rollupBlock: number) => Promise<{ number: number; hash: Hex } | null>
  /** The block that had to take a deposit, and did not; null unless that is so. */
  refusalOf: (deposit: Hex) => Promise<BridgeLeg['block']>
  /** A transaction of either chain that stands for a hash which is of none. */
  standsFor: (hash: Hex) => { parent: Hex } | { rollup: Hex } | null
}

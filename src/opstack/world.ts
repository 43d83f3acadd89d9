import type { Hex } from 'viem'
import type { BridgeFacts, BridgeLeg } from '../domain/ports/bridge.ts'
import { once } from '../kit/once.ts'
import type { BridgeChain } from './chain.ts'
import type { Outputs } from './outputs.ts'
import type { ChainTransaction } from './transaction.ts'

/** The contracts that connect the chains, and the pace of both. */
export type BridgeTerms = {
  portal: Hex
  /** Parent contracts that forward deposits to the portal: the standard bridge and the messenger. */
  gateways: readonly Hex[]
  outputs: Outputs
  /** `confirmations` counts the parent blocks that a deposit must have before the rollup includes it. */
  pace: BridgeFacts['pace']
  /** Seconds until a rollup block is safe and an output of it can be proposed. */
  secondsToSafe: number
}

/** The two chains, and the facts that need a ledger or a rollup node. */
export type BridgeWorld = {
  parent: BridgeChain
  rollup: BridgeChain
  terms: () => Promise<BridgeTerms>
  /** The parent transaction of a deposit that the rollup has included. */
  parentOf: (deposit: ChainTransaction) => Promise<Hex | null>
  /** The rollup transaction that initiated a withdrawal, by the withdrawal's hash and nonce. */
  initiationOf: (withdrawal: Hex, nonce: bigint | null) => Promise<Hex | null>
  /** The parent block on which a rollup block builds; null where it is unknown. */
  originOf: (rollupBlock: number) => Promise<{ number: number; hash: Hex } | null>
  /** The block that should have included a deposit and did not; null otherwise. */
  droppedIn: (deposit: Hex) => Promise<BridgeLeg['block']>
  /** The transaction that a hash refers to where it is not a transaction hash itself, such as a withdrawal hash. */
  resolve: (hash: Hex) => { parent: Hex } | { rollup: Hex } | null
}

/** The same world for one question: what is asked for again has the first answer. */
export function atOneMoment(world: BridgeWorld): BridgeWorld {
  const terms = once(async () => {
    const known = await world.terms()
    return { ...known, outputs: { ...known.outputs, covered: once(known.outputs.covered) } }
  })
  return { ...world, parent: remembering(world.parent), rollup: remembering(world.rollup), terms }
}

function remembering({ read }: BridgeChain): BridgeChain {
  const answers = new Map<string, Promise<unknown>>()
  return {
    transactions: new Map(),
    read: (method, params) => {
      const key = JSON.stringify([method, params])
      const answer = answers.get(key) ?? read(method, params)
      answers.set(key, answer)
      return answer
    },
  }
}

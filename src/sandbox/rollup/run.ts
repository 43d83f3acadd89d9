import type { PrivateKeyAccount } from 'viem/accounts'
import { DomainError } from '../../domain/errors.ts'
import type { Bridge } from '../../domain/ports/bridge.ts'
import type { Rollup } from '../../domain/ports/node.ts'
import type { Chain } from '../durable/chain.ts'
import { isEngineUnavailable } from '../engine/rpc-error.ts'
import type { Emit } from '../events.ts'
import { type Sequencer, startSequencer } from '../sequencer.ts'
import { bridgeFacts } from './bridge.ts'
import { createDerivation } from './derivation.ts'
import { type RollupGenesis, rollupFacts } from './facts.ts'
import { type Heads, headsOf } from './heads.ts'
import type { Ledger } from './ledger.ts'
import { maturitySeconds } from './parameters.ts'
import { createProposer } from './proposer.ts'
import { ticks } from './ticks.ts'

export type RollupOptions = {
  chainId: number
  blockTimeSeconds: number
  parentBlockTimeSeconds: number
  genesis: RollupGenesis
  chain: Chain
  parent: Chain
  ledger: Ledger
  proposerKey: PrivateKeyAccount
  emit: Emit
  emitParent: Emit
}

/** A rollup and its parent chain, making blocks. */
export type RunningRollup = {
  sequencer: Sequencer
  parentSequencer: Sequencer
  heads: () => Heads
  rollup: Rollup
  bridge: Bridge
  /** Stops for good, after what is under way. */
  close: () => Promise<void>
}

/** Sets both chains going, once the rollup has read what the parent has for it. */
export async function runRollup(options: RollupOptions): Promise<RunningRollup> {
  const { chainId, blockTimeSeconds, parentBlockTimeSeconds, genesis, proposerKey } = options
  const { chain, parent, ledger, emit, emitParent } = options
  const heads = () => headsOf(ledger, parent.head().number, genesis.l2.number)
  const derivation = createDerivation({ parent, ledger, emit })
  await derivation.follow()
  const proposer = createProposer({
    ...{ account: proposerKey, parent, ledger, emit },
    genesis: genesis.l2.number,
    safe: () => heads().safe,
  })
  // The first output is on its way before the parent's first block, so that clients find one from the start.
  await proposer.tick()

  const parentSequencer = startSequencer({ chain: parent, blockTimeSeconds: parentBlockTimeSeconds, emit: emitParent })
  parentSequencer.onBlock(() => {
    void derivation.follow()
    void proposer.tick()
  })
  const sequencer = startSequencer({ chain, blockTimeSeconds, emit, takeOver: derivation.takeOver })
  // What could not be read when the parent told of it is read before long.
  sequencer.onBlock(() => void derivation.follow())

  const facts = rollupFacts({ chainId, blockTimeSeconds, genesis, ledger, parent, heads })
  const pace = { parentBlock: parentBlockTimeSeconds, rollupBlock: blockTimeSeconds, maturity: maturitySeconds }
  const transfer = bridgeFacts({ parent, rollup: chain, ledger, heads, pace })
  return {
    sequencer,
    parentSequencer,
    heads,
    rollup: {
      syncStatus: () => throughPort(facts.syncStatus()),
      config: facts.config,
      outputAt: (number) => throughPort(facts.outputAt(number)),
    },
    bridge: {
      facts: (hash) => throughPort(transfer(hash)),
      ticks: (signal) => ticks([sequencer.onBlock, parentSequencer.onBlock], signal),
    },
    close: async () => {
      await Promise.all([sequencer.close(), parentSequencer.close()])
      await Promise.all([derivation.close(), proposer.close()])
    },
  }
}

async function throughPort<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!isEngineUnavailable(error)) throw error
    throw new DomainError('UNAVAILABLE', 'The chain is restarting; try again in a moment.', {}, error)
  }
}

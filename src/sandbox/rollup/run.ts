import type { PrivateKeyAccount } from 'viem/accounts'
import type { Bridge } from '../../domain/ports/bridge.ts'
import { bridgeFacts } from '../../opstack/facts.ts'
import { ticks } from '../../opstack/ticks.ts'
import type { Chain } from '../chain/chain.ts'
import type { Emit } from '../kit/events.ts'
import { type Sequencer, startSequencer } from '../sequencing/sequencer.ts'
import { bridgeWorld } from './bridge-world.ts'
import { createDerivation, readOrigin } from './derivation.ts'
import { type RollupFacts, type RollupGenesis, rollupFacts } from './facts.ts'
import { type Heads, headsOf } from './heads.ts'
import type { Ledger } from './ledger.ts'
import { createProposer } from './proposer.ts'

type RollupOptions = {
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

/** A rollup and its parent chain, both producing blocks. */
export type RunningRollup = {
  sequencer: Sequencer
  parentSequencer: Sequencer
  heads: () => Heads
  rollup: RollupFacts
  /** Throws RpcError. */
  bridge: Bridge
  /** Stops for good, after the running work. */
  close: () => Promise<void>
}

/**
 * Starts to produce blocks on both chains, after the rollup has read the parent's blocks. Throws where the parent is not
 * the chain that the rollup builds on.
 */
export async function runRollup(options: RollupOptions): Promise<RunningRollup> {
  const { chainId, blockTimeSeconds, parentBlockTimeSeconds, genesis, proposerKey } = options
  const { chain, parent, ledger, emit, emitParent } = options
  const origin = await readOrigin({ parent, ledger })
  const derivation = createDerivation({ parent, ledger, origin, emit })
  await derivation.follow()
  const heads = () => headsOf(ledger, derivation.verified(), genesis.l2.number)
  const proposer = createProposer({
    account: proposerKey,
    parent,
    ledger,
    emit,
    genesis: genesis.l2.number,
    safe: () => heads().safe,
  })
  // The first output is proposed before the parent's first block, so that clients find one from the start.
  await proposer.tick()

  const parentSequencer = startSequencer({ chain: parent, blockTimeSeconds: parentBlockTimeSeconds, emit: emitParent })
  parentSequencer.onBlock(() => {
    void derivation.follow()
    void proposer.tick()
  })
  const sequencer = startSequencer({ chain, blockTimeSeconds, emit, derive: derivation.derive })
  // A parent block that could not be read when it appeared is read soon after.
  sequencer.onBlock(() => void derivation.follow())

  const rollup = rollupFacts({ chainId, blockTimeSeconds, genesis, ledger, parent, heads })
  const pace = { parentBlock: parentBlockTimeSeconds, rollupBlock: blockTimeSeconds }
  const facts = bridgeFacts(await bridgeWorld({ parent, chain, ledger, heads, pace }))
  return {
    sequencer,
    parentSequencer,
    heads,
    rollup,
    bridge: { facts, ticks: (signal) => ticks([sequencer.onBlock, parentSequencer.onBlock], signal) },
    close: async () => {
      await Promise.all([sequencer.close(), parentSequencer.close()])
      await Promise.all([derivation.close(), proposer.close()])
    },
  }
}

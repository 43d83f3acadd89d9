import { type Hex, numberToHex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { Bridge } from '../../domain/ports/bridge.ts'
import { bridgeFacts } from '../../opstack/facts.ts'
import { oracleOutputs } from '../../opstack/outputs.ts'
import { ticks } from '../../opstack/ticks.ts'
import type { BridgeWorld } from '../../opstack/world.ts'
import type { Chain } from '../chain/chain.ts'
import type { Emit } from '../kit/events.ts'
import { type Sequencer, startSequencer } from '../sequencing/sequencer.ts'
import { createDerivation, readOrigin } from './derivation.ts'
import { type RollupFacts, type RollupGenesis, rollupFacts } from './facts.ts'
import { type Heads, headsOf } from './heads.ts'
import type { Ledger } from './ledger.ts'
import { batchDelay, originDepth, parentAddresses } from './parameters.ts'
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

type BridgeWorldOptions = {
  parent: Pick<Chain, 'read'>
  chain: Pick<Chain, 'read' | 'head'>
  ledger: Ledger
  heads: () => Heads
  pace: { parentBlock: number; rollupBlock: number }
}

/** The embedded chains as the bridge reads them. What it must search for on other chains is in the ledger here. */
async function bridgeWorld(options: BridgeWorldOptions): Promise<BridgeWorld> {
  const { parent, chain, ledger, heads, pace } = options
  const { portal, l2OutputOracle } = parentAddresses
  const outputs = await oracleOutputs(parent, portal, l2OutputOracle)
  const terms = {
    portal,
    gateways: [],
    outputs,
    pace: { ...pace, finalizationSeconds: outputs.finalizationSeconds, confirmations: originDepth + 1 },
    secondsToSafe: (originDepth + batchDelay + 1) * pace.parentBlock,
  }
  const numbered = (param: unknown) => (param === 'safe' ? numberToHex(heads().safe.number) : param)
  return {
    parent,
    rollup: { read: (method, params) => chain.read(method, params.map(numbered)) },
    terms: async () => terms,
    parentOf: async ({ hash }) => ledger.deposit(hash)?.parentTransaction ?? null,
    initiationOf: async (withdrawal) => ledger.withdrawal(withdrawal)?.transaction ?? null,
    originOf: async (number) => ledger.block(number)?.origin ?? null,
    droppedIn: async (deposit) => {
      const taken = ledger.deposit(deposit)
      const block = taken && ledger.block(taken.block)
      if (!block) return null
      // The engine refused the deposit, so its block was mined without it.
      const { number, timestamp } = block
      const confirmations = chain.head().number - number + 1
      return { number, timestamp: new Date(timestamp * 1000), confirmations, succeeded: false }
    },
    resolve: (hash) => standIn(ledger, hash),
  }
}

function standIn(ledger: Ledger, hash: Hex): ReturnType<BridgeWorld['resolve']> {
  const deposit = ledger.deposit(hash)
  if (deposit) return { parent: deposit.parentTransaction }
  const withdrawal = ledger.withdrawal(hash)
  return withdrawal ? { rollup: withdrawal.transaction } : null
}

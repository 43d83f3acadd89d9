import { type Hex, numberToHex } from 'viem'
import { oracleOutputs } from '../../opstack/outputs.ts'
import type { BridgeWorld } from '../../opstack/world.ts'
import type { Chain } from '../chain/chain.ts'
import type { Heads } from './heads.ts'
import type { Ledger } from './ledger.ts'
import { batchDelay, originDepth, parentAddresses } from './parameters.ts'

type BridgeWorldOptions = {
  parent: Pick<Chain, 'read'>
  chain: Pick<Chain, 'read' | 'head'>
  ledger: Ledger
  heads: () => Heads
  pace: { parentBlock: number; rollupBlock: number }
}

/** The embedded chains as the bridge reads them. What it must search for on other chains is in the ledger here. */
export async function bridgeWorld(options: BridgeWorldOptions): Promise<BridgeWorld> {
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

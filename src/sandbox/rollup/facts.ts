import { type Hex, numberToHex } from 'viem'
import type { Chain } from '../chain/chain.ts'
import { RpcError } from '../kit/rpc-error.ts'
import type { Heads } from './heads.ts'
import type { BlockId, Ledger, LedgerBlock } from './ledger.ts'
import { outputRoot, outputVersion } from './output-root.ts'
import { batchInbox, epochBlocks, parentAddresses, parentChainId, parentFinality } from './parameters.ts'

type WireObject = Record<string, unknown>

/** The methods of an OP Stack node (op-node) about a rollup. They throw RpcError. */
export type RollupFacts = {
  syncStatus: () => Promise<WireObject>
  config: () => Promise<WireObject>
  /** The output of an existing block. */
  outputAt: (number: bigint) => Promise<WireObject>
}

/** Where the rollup begins: the last block of the bootstrap, and the parent block it builds on. */
export type RollupGenesis = { l1: BlockId; l2: BlockId; l2_time: number }

type FactsOptions = {
  chainId: number
  blockTimeSeconds: number
  genesis: RollupGenesis
  ledger: Ledger
  parent: Pick<Chain, 'head' | 'read'>
  heads: () => Heads
}

/** Creates the methods from the ledger and the parent chain. */
export function rollupFacts({ chainId, blockTimeSeconds, genesis, ledger, parent, heads }: FactsOptions): RollupFacts {
  async function parentRef(number: number): Promise<WireObject> {
    const block = await parent.read('eth_getBlockByNumber', [numberToHex(Math.max(number, 0)), false])
    const { hash, parentHash, timestamp, number: at } = block as Record<string, Hex>
    return { hash, number: Number(at), parentHash, timestamp: Number(timestamp) }
  }

  async function syncStatus(): Promise<WireObject> {
    const newest = parent.head().number
    // Read at one moment, so that the three belong together.
    const { latest, safe, finalized } = heads()
    const [current_l1, head_l1, safe_l1, finalized_l1] = await Promise.all(
      [latest.origin.number, newest, newest - epochBlocks, newest - parentFinality].map(parentRef),
    )
    return {
      current_l1,
      head_l1,
      safe_l1,
      finalized_l1,
      unsafe_l2: blockRef(latest),
      safe_l2: blockRef(safe),
      finalized_l2: blockRef(finalized),
    }
  }

  return {
    syncStatus,
    config: async () => ({
      genesis,
      block_time: blockTimeSeconds,
      max_sequencer_drift: 600,
      seq_window_size: 3600,
      channel_timeout: 300,
      l1_chain_id: parentChainId,
      l2_chain_id: chainId,
      batch_inbox_address: batchInbox(chainId),
      deposit_contract_address: parentAddresses.portal,
      l1_system_config_address: parentAddresses.systemConfig,
    }),
    outputAt: async (number) => {
      const block = ledger.block(Number(number))
      if (!block) throw new RpcError(-32001, `there is no block ${number}`)
      return {
        version: outputVersion,
        outputRoot: outputRoot(block),
        blockRef: blockRef(block),
        withdrawalStorageRoot: block.passerRoot,
        stateRoot: block.stateRoot,
        syncStatus: await syncStatus(),
      }
    },
  }
}

function blockRef({ hash, number, parentHash, timestamp, origin, sequence }: LedgerBlock): WireObject {
  return { hash, number, parentHash, timestamp, l1origin: origin, sequenceNumber: sequence }
}

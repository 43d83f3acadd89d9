import type { Hex } from 'viem'
import { DomainError } from '../../../domain/core/errors.ts'
import type { Bridge } from '../../../domain/ports/bridge.ts'
import type { ChainNode, NodeObject, Rollup } from '../../../domain/ports/node.ts'
import { quantityOf } from '../../../kit/hex.ts'
import { neverAborts } from '../../../kit/values.ts'
import type { BridgeChain } from '../../../opstack/chain.ts'
import { bridgeFacts } from '../../../opstack/facts.ts'
import { ticks } from '../../../opstack/ticks.ts'
import { createCoalesce } from '../../async/single-flight.ts'
import type { ReportCall } from '../call-tally.ts'
import { onChanges } from '../on-changes.ts'
import { publicBridgeWorld } from './bridge-world.ts'
import { nodePool } from './node-pool.ts'

type PublicBridgeOptions = {
  node: ChainNode
  rollup: Rollup
  /** The URLs of the parent chain's nodes, and its portal; the rollup node names the portal where it is not given. */
  parentUrls: readonly string[] | null
  portal: Hex | null
  /** Receives each call of the parent chain's nodes. */
  report?: ReportCall
}

/** The bridge of a public rollup, read from the chain's node, its rollup node and the nodes of its parent chain. */
export function publicBridge({ node, rollup, parentUrls, portal, report }: PublicBridgeOptions): Bridge {
  if (parentUrls === null)
    return missing('Bridge status needs the parent chain; the operator of this gateway sets L1_RPC_URL.')
  const pool = nodePool(parentUrls, { oneChain: 'L1_RPC_URL', report })
  const coalesce = createCoalesce()
  const parent: BridgeChain = {
    // All watchers read at each new block, and most of their reads are the same.
    read: (method, params) =>
      coalesce(JSON.stringify([method, params]), neverAborts, (signal) => pool.request(method, params, signal)),
  }
  const chain: BridgeChain = { read: (method, params) => node.request(method, params, neverAborts) }
  const world = publicBridgeWorld({
    rollup,
    portal,
    parent: named('L1_RPC_URL', parent),
    chain: named('CHAIN_RPC_URL', chain),
  })
  const factsOf = bridgeFacts(world)
  const facts = async (hash: Hex) => {
    await world.ready()
    return await factsOf(hash)
  }
  return {
    facts: async (hash) => await facts(hash).catch(rethrown),
    ticks: (signal) => ticks([(listener) => onChanges(node, () => listener())], signal),
  }
}

/** The error names the setting of the node that does not respond. */
function named(setting: string, { read }: BridgeChain): BridgeChain {
  return {
    read: async (method, params) =>
      await read(method, params).catch((thrown: unknown) => {
        if (!(thrown instanceof DomainError) || thrown.code !== 'UNAVAILABLE') throw thrown
        throw new DomainError(
          'UNAVAILABLE',
          `The node of ${setting} does not respond. Try again in a few seconds.`,
          {},
          thrown,
        )
      }),
  }
}

/** A node's failure must not look like a transfer that does not exist. */
function rethrown(thrown: unknown): never {
  if (thrown instanceof DomainError && (thrown.code === 'UNAVAILABLE' || thrown.code === 'UNIMPLEMENTED')) throw thrown
  throw new DomainError(
    'UNAVAILABLE',
    'The nodes of this bridge do not return enough data about the transfer. Try again later.',
    {},
    thrown,
  )
}

function missing(message: string): Bridge {
  const refuse = async (): Promise<never> => {
    throw new DomainError('UNIMPLEMENTED', message)
  }
  return {
    facts: refuse,
    // biome-ignore lint/correctness/useYield: there are no events
    async *ticks() {
      await refuse()
    },
  }
}

/** The rollup node (op-node), called by its own method names. Without its URL every method is UNIMPLEMENTED. */
export function publicRollup(
  urls: readonly string[] | null,
  options: { chainId?: number; report?: ReportCall } = {},
): Rollup {
  const pool = urls === null ? null : nodePool(urls, options)
  const read = async (method: string, params: readonly unknown[] = []): Promise<NodeObject> => {
    if (pool === null)
      throw new DomainError('UNIMPLEMENTED', 'This gateway has no rollup node. Its operator can set ROLLUP_RPC_URL.')
    return (await pool.request(method, params, neverAborts)) as NodeObject
  }
  return {
    syncStatus: async () => await read('optimism_syncStatus'),
    config: async () => await read('optimism_rollupConfig'),
    outputAt: async (number) => await read('optimism_outputAtBlock', [quantityOf(number)]),
  }
}

import { createPublicClient, custom, type EIP1193RequestFn, numberToHex } from 'viem'
import type { Head, Hex } from '../../../domain/ports/chains.ts'
import type { NodeObject } from '../../../domain/ports/node.ts'
import { neverAborts } from '../../../kit/values.ts'
import type { NodeClient } from '../../node/chain-node.ts'
import type { Lack } from '../../node/lacks.ts'
import type { RequestOptions } from '../../node/upstream.ts'
import { type BlockViews, blockViews } from './block-view.ts'
import { type At, type Caller, callAll } from './call-all.ts'
import type { Deployment } from './deployment.ts'
import { type JointReads, jointReads } from './joint-reads.ts'

/** The part of a node's client that trades use. */
export type TradingNode = Pick<
  NodeClient,
  'changes' | 'direct' | 'head' | 'isReplaced' | 'onReorganised' | 'recentHead' | 'states'
> &
  Partial<Pick<NodeClient, 'followed' | 'lacks'>>

/** A connection to a chain, with its deployment table. */
export type Connection = BlockViews &
  Caller & {
    /** Calls the node by method and parameters. Throws DomainError. */
    call: (method: string, params: readonly unknown[], options?: RequestOptions) => Promise<unknown>
    /** Reads of contracts that do as expected; absent where each read is made by itself. */
    joint?: JointReads
    /** True for the embedded chain, whose reads cost no calls to another machine. */
    embedded: boolean
    /** What its nodes lack, as far as that is known. */
    lacks: ReadonlySet<Lack>
  }

/** Connects a node with the deployment table of its chain. Nothing is sent yet. */
export function connect(
  deployment: Deployment,
  node: Pick<TradingNode, 'direct' | 'recentHead' | 'lacks'>,
  sandbox: boolean,
): Connection {
  // A trade makes dozens of reads, of blocks that it has seen.
  const call: Connection['call'] = (method, params, options) =>
    node.direct(method, params, neverAborts, { ...options, unanimous: true, persistent: true, exists: true })

  const request = (async ({ method, params }: { method: string; params?: readonly unknown[] }) =>
    await call(method, params ?? [])) as EIP1193RequestFn
  const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 })
  const latest = async () => {
    const header = (await call('eth_getBlockByNumber', ['latest', false])) as NodeObject
    return { number: BigInt(String(header.number)), hash: header.hash as Hex, header }
  }
  const at = ({ number, hash }: Head): At =>
    sandbox ? { blockNumber: number } : { blockHash: hash, requireCanonical: true }
  const hashOf = async (number: bigint) => (await readBlock(call, number))?.hash ?? null
  const views = blockViews({ head: node.recentHead, latest, hashOf })
  const joint = jointReads(deployment, (calls, block) => callAll({ client, deployment, at }, calls, block))
  const lacks = node.lacks ?? new Set()
  return { client, call, at, ...views, joint, deployment, embedded: sandbox, lacks }
}

type Block = { hash: Hex; parentHash: Hex; timestamp: Hex; transactions: readonly Hex[] }

/**
 * The block of a number, with the hashes of its transactions; null where the chain is not that long. It is always read
 * anew: by its hash callers notice that a block has left the chain.
 */
export async function readBlock(call: Connection['call'], number: bigint): Promise<Block | null> {
  return (await call('eth_getBlockByNumber', [numberToHex(number), false])) as Block | null
}

/** The newest block. */
export async function readHead({ view }: Pick<Connection, 'view'>): Promise<Head> {
  return (await view()).block
}

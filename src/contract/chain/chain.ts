import type { Operation, RpcBinding } from '../shared/operation.ts'
import { chainBlocks } from './blocks.ts'
import { chainLogs } from './logs.ts'
import { chainPool } from './pool.ts'
import { chainRollup } from './rollup.ts'
import { chainServices } from './services.ts'
import { chainState } from './state.ts'

/** Every operation of the chain: the node's JSON-RPC methods, the faucet and the bridge. */
export const chain = { ...chainState, ...chainBlocks, ...chainPool, ...chainLogs, ...chainRollup, ...chainServices }

type Declared = (typeof chain)[keyof typeof chain]

/** The JSON-RPC name of every operation that `node` declares. */
export type NodeMethod = Extract<Declared, { rpc: object }>['rpc']['method']

/** How JSON-RPC reaches each method, by its name. */
export const rpcBindings: ReadonlyMap<string, RpcBinding> = new Map(
  Object.values<Operation>(chain).flatMap(({ rpc }) => (rpc === undefined ? [] : [[rpc.method, rpc] as const])),
)

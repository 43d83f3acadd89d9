import { chainBlocks } from './blocks.ts'
import { chainLogs } from './logs.ts'
import { chainRollup } from './rollup.ts'
import { chainServices } from './services.ts'
import { chainState } from './state.ts'

/** Every operation of the chain: the node's JSON-RPC methods, the faucet and the bridge. */
export const chain = { ...chainState, ...chainBlocks, ...chainLogs, ...chainRollup, ...chainServices }

type Declared = (typeof chain)[keyof typeof chain]

/** The JSON-RPC name of every operation that `node` declares. */
export type NodeMethod = Extract<Declared, { rpc: object }>['rpc']['method']

import { chainBlocks } from './chain-blocks.ts'
import { chainLogs } from './chain-logs.ts'
import { chainRollup } from './chain-rollup.ts'
import { chainServices } from './chain-services.ts'
import { chainState } from './chain-state.ts'

/** Every operation of the chain: the node's JSON-RPC methods, the faucet and the bridge. */
export const chain = { ...chainState, ...chainBlocks, ...chainLogs, ...chainRollup, ...chainServices }

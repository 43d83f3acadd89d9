import type { NodeMethod } from '../../contract/chain/chain.ts'

/** What the sandbox must know of a node method. */
export type MethodRule = {
  /** Position of the parameter that names the block whose state is read. */
  stateBlock?: number
  /** Position of the parameter that names a mined block by its number. */
  minedBlock?: number
  /** Position of the options that must name a tracer: without one the engine retains every step of a run. */
  traceOptions?: number
  /** The first parameter is a call, whose gas is bounded. */
  call?: true
}

/** The gateway implements the method itself, or through `submit`: the engine must not receive it. */
export type NotRead = 'not read'

/**
 * Every method of the contract, and those that the gateway reads for itself. A method that is missing here does not
 * compile; a method that is `not read`, or unknown, is refused.
 */
export const methodRules: Readonly<Record<NodeMethod, MethodRule | NotRead>> = {
  debug_traceBlockByNumber: { stateBlock: 0, traceOptions: 1 },
  debug_traceCall: { stateBlock: 1, traceOptions: 2, call: true },
  debug_traceTransaction: { traceOptions: 1 },
  eth_accounts: 'not read',
  eth_blockNumber: {},
  eth_call: { stateBlock: 1, call: true },
  eth_chainId: {},
  eth_createAccessList: { stateBlock: 1, call: true },
  eth_estimateGas: { stateBlock: 1, call: true },
  eth_feeHistory: { minedBlock: 1 },
  eth_gasPrice: {},
  eth_getBalance: { stateBlock: 1 },
  eth_getBlockByHash: {},
  eth_getBlockByNumber: { minedBlock: 0 },
  eth_getBlockReceipts: { minedBlock: 0 },
  eth_getBlockTransactionCountByHash: {},
  eth_getBlockTransactionCountByNumber: { minedBlock: 0 },
  eth_getCode: { stateBlock: 1 },
  eth_getFilterChanges: 'not read',
  eth_getFilterLogs: 'not read',
  eth_getLogs: {},
  eth_getProof: { stateBlock: 2 },
  eth_getStorageAt: { stateBlock: 2 },
  eth_getTransactionByBlockHashAndIndex: {},
  eth_getTransactionByBlockNumberAndIndex: { minedBlock: 0 },
  eth_getTransactionByHash: {},
  eth_getTransactionCount: { stateBlock: 1 },
  eth_getTransactionReceipt: {},
  eth_getUncleCountByBlockHash: 'not read',
  eth_getUncleCountByBlockNumber: 'not read',
  eth_maxPriorityFeePerGas: {},
  eth_newBlockFilter: 'not read',
  eth_newFilter: 'not read',
  eth_newPendingTransactionFilter: 'not read',
  eth_sendRawTransaction: 'not read',
  eth_sendRawTransactionSync: 'not read',
  eth_simulateV1: { stateBlock: 1 },
  eth_syncing: {},
  eth_uninstallFilter: 'not read',
  net_listening: 'not read',
  net_version: {},
  rollup_outputAtBlock: 'not read',
  rollup_rollupConfig: 'not read',
  rollup_syncStatus: 'not read',
  web3_clientVersion: {},
  web3_sha3: 'not read',
}

/** The rule of a method that may be read, undefined for all others. */
export function ruleOf(method: string): MethodRule | undefined {
  const rule = Object.hasOwn(methodRules, method) ? methodRules[method as keyof typeof methodRules] : undefined
  return rule === 'not read' ? undefined : rule
}

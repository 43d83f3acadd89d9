import type { NodeMethod } from '../../contract/chain/chain.ts'

/** What the sandbox must know of a node method. */
export type MethodRule = {
  /** What the block parameter names: the block whose state is read, or a mined block. The contract has its position. */
  block?: 'state' | 'mined'
  /** Position of the parameter that names the newest block of a range. */
  newestBlock?: number
  /** Position of the options that must name a tracer: without one the engine retains every step of a run. */
  traceOptions?: number
  /** The first parameter is a call, whose gas is bounded. */
  call?: true
  /** The engine runs code for it, on the state of the block. */
  runsCode?: true
}

/** The gateway implements the method itself, or through `submit`: the engine must not receive it. */
type NotRead = 'not read'

/**
 * Every method of the contract, and those that the gateway reads for itself. A method that is missing here does not
 * compile; a method that is `not read`, or unknown, is refused.
 */
const methodRules: Readonly<Record<NodeMethod, MethodRule | NotRead>> = {
  debug_traceBlockByHash: 'not read',
  debug_traceBlockByNumber: { block: 'state', traceOptions: 1 },
  debug_traceCall: { block: 'state', traceOptions: 2, call: true, runsCode: true },
  debug_traceTransaction: { traceOptions: 1 },
  eth_accounts: 'not read',
  eth_blobBaseFee: {},
  eth_blockNumber: {},
  eth_call: { block: 'state', call: true, runsCode: true },
  eth_chainId: {},
  eth_createAccessList: { block: 'state', call: true, runsCode: true },
  eth_estimateGas: { block: 'state', call: true, runsCode: true },
  eth_feeHistory: { newestBlock: 1 },
  eth_gasPrice: {},
  eth_getBalance: { block: 'state' },
  eth_getBlockByHash: {},
  eth_getBlockByNumber: { block: 'mined' },
  eth_getBlockReceipts: { block: 'mined' },
  eth_getBlockTransactionCountByHash: {},
  eth_getBlockTransactionCountByNumber: { block: 'mined' },
  eth_getCode: { block: 'state' },
  eth_getFilterChanges: 'not read',
  eth_getFilterLogs: 'not read',
  eth_getHeaderByHash: 'not read',
  eth_getHeaderByNumber: 'not read',
  eth_getLogs: {},
  eth_getProof: { block: 'state' },
  eth_getStorageAt: { block: 'state' },
  eth_getTransactionByBlockHashAndIndex: {},
  eth_getTransactionByBlockNumberAndIndex: { block: 'mined' },
  eth_getTransactionByHash: {},
  eth_getTransactionCount: { block: 'state' },
  eth_getTransactionReceipt: {},
  eth_getUncleCountByBlockHash: 'not read',
  eth_getUncleCountByBlockNumber: 'not read',
  eth_maxPriorityFeePerGas: {},
  eth_newBlockFilter: 'not read',
  eth_newFilter: 'not read',
  eth_newPendingTransactionFilter: 'not read',
  eth_sendRawTransaction: 'not read',
  eth_sendRawTransactionSync: 'not read',
  eth_simulateV1: { block: 'state', runsCode: true },
  eth_syncing: {},
  eth_uninstallFilter: 'not read',
  net_listening: 'not read',
  net_peerCount: 'not read',
  net_version: {},
  rollup_outputAtBlock: 'not read',
  rollup_rollupConfig: 'not read',
  rollup_syncStatus: 'not read',
  txpool_content: {},
  txpool_contentFrom: {},
  txpool_inspect: {},
  txpool_status: {},
  web3_clientVersion: {},
  web3_sha3: 'not read',
}

/** The rule of a method that may be read, undefined for all others. */
export function ruleOf(method: string): MethodRule | undefined {
  const rule = Object.hasOwn(methodRules, method) ? methodRules[method as keyof typeof methodRules] : undefined
  return rule === 'not read' ? undefined : rule
}

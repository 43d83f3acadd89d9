import { contract } from '../../contract/index.ts'
import { clientVersion } from '../../contract/shared/version.ts'
import type { Handlers } from '../core/handler.ts'
import { claimFaucet, faucetClaim } from '../wallets/faucet.ts'
import { bridgeStatus, watchBridge } from './bridge.ts'
import { forward, forwardFound } from './forward.ts'
import { getLogs } from './get-logs.ts'
import { getHeaderByHash, getHeaderByNumber } from './headers.ts'
import {
  getFilterChanges,
  getFilterLogs,
  newBlockFilter,
  newFilter,
  newPendingTransactionFilter,
  uninstallFilter,
} from './node-filters.ts'
import { txpoolContent, txpoolContentFrom, txpoolInspect } from './pool.ts'
import {
  adminStartSequencer,
  adminStopSequencer,
  rollupOutputAtBlock,
  rollupRollupConfig,
  rollupSyncStatus,
  sendRawTransactionSync,
} from './sequencing.ts'
import { streamLogs } from './stream-logs.ts'
import { subscribe } from './subscribe.ts'

const { chain: methods } = contract

export const chain: Handlers<typeof contract.chain> = {
  /** The gateway itself answers: it accepts connections and signs for no account. */
  netListening: async () => true,
  accounts: async () => [],
  chainId: forward(methods.chainId),
  netVersion: forward(methods.netVersion),
  netPeerCount: forward(methods.netPeerCount),
  web3ClientVersion: async () => clientVersion,
  web3Sha3: forward(methods.web3Sha3),
  syncing: forward(methods.syncing),
  getBalance: forward(methods.getBalance),
  getTransactionCount: forward(methods.getTransactionCount),
  getCode: forward(methods.getCode),
  getStorageAt: forward(methods.getStorageAt),
  getProof: forward(methods.getProof),
  call: forward(methods.call),
  estimateGas: forward(methods.estimateGas),
  createAccessList: forward(methods.createAccessList),
  simulateV1: forward(methods.simulateV1),
  gasPrice: forward(methods.gasPrice),
  maxPriorityFeePerGas: forward(methods.maxPriorityFeePerGas),
  blobBaseFee: forward(methods.blobBaseFee),
  feeHistory: forward(methods.feeHistory),
  blockNumber: forward(methods.blockNumber),
  getBlockByNumber: forward(methods.getBlockByNumber),
  getBlockByHash: forward(methods.getBlockByHash),
  getHeaderByNumber,
  getHeaderByHash,
  getTransactionByHash: forward(methods.getTransactionByHash),
  getTransactionByBlockHashAndIndex: forward(methods.getTransactionByBlockHashAndIndex),
  getTransactionByBlockNumberAndIndex: forward(methods.getTransactionByBlockNumberAndIndex),
  getTransactionReceipt: forward(methods.getTransactionReceipt),
  sendRawTransaction: forward(methods.sendRawTransaction),
  sendRawTransactionSync,
  debugTraceTransaction: forward(methods.debugTraceTransaction),
  debugTraceBlockByNumber: forward(methods.debugTraceBlockByNumber),
  debugTraceBlockByHash: forward(methods.debugTraceBlockByHash),
  debugTraceCall: forward(methods.debugTraceCall),
  getBlockTransactionCountByNumber: forwardFound(methods.getBlockTransactionCountByNumber),
  getBlockTransactionCountByHash: forwardFound(methods.getBlockTransactionCountByHash),
  getUncleCountByBlockNumber: forwardFound(methods.getUncleCountByBlockNumber),
  getUncleCountByBlockHash: forwardFound(methods.getUncleCountByBlockHash),
  getBlockReceipts: forwardFound(methods.getBlockReceipts),
  txpoolStatus: forward(methods.txpoolStatus),
  txpoolContent,
  txpoolContentFrom,
  txpoolInspect,
  getLogs,
  streamLogs,
  newFilter,
  newBlockFilter,
  newPendingTransactionFilter,
  getFilterChanges,
  getFilterLogs,
  uninstallFilter,
  subscribe,
  rollupSyncStatus,
  rollupRollupConfig,
  rollupOutputAtBlock,
  adminStartSequencer,
  adminStopSequencer,
  bridgeStatus,
  watchBridge,
  claimFaucet,
  faucetClaim,
}

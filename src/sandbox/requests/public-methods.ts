import { blockGasLimit } from '../engine/engine.ts'
import { RpcError } from '../kit/rpc-error.ts'

const readMethods = new Set([
  'debug_traceBlockByHash',
  'debug_traceBlockByNumber',
  'debug_traceCall',
  'debug_traceTransaction',
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_createAccessList',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getProof',
  'eth_getStorageAt',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
  'eth_simulateV1',
  'eth_syncing',
  'net_version',
  'txpool_status',
  'web3_clientVersion',
])

/** The methods whose first parameter is a call that the engine would otherwise run with any gas it names. */
const callMethods = new Set(['eth_call', 'eth_createAccessList', 'eth_estimateGas', 'debug_traceCall'])

/** Where each method that traces has its options. Without a tracer the engine keeps every step of a run, without bound. */
const traceOptions: Readonly<Record<string, number>> = {
  debug_traceBlockByHash: 1,
  debug_traceBlockByNumber: 1,
  debug_traceCall: 2,
  debug_traceTransaction: 1,
}

/**
 * Decides what of a caller's read request may reach the engine, and answers the parameters to send.
 * Control methods are refused, and so are the parameters that abort the engine or keep it busy without end.
 */
export function checkedParams(method: string, params: unknown): unknown[] {
  if (!readMethods.has(method)) throw new RpcError(-32601, `the method ${method} does not exist or is not available`)
  if (params !== undefined && !Array.isArray(params)) throw new RpcError(-32602, 'params must be an array')
  const list: unknown[] = [...(params ?? [])]
  if (method === 'eth_feeHistory') list[0] = boundedCount(list[0])
  if (callMethods.has(method)) list[0] = withBoundedGas(list[0])
  if (method === 'eth_simulateV1') list[0] = withBoundedCalls(list[0])
  const options = list[traceOptions[method] ?? list.length]
  if (method in traceOptions && !(isRecord(options) && typeof options.tracer === 'string')) {
    throw new RpcError(-32602, `${method} needs a tracer among its options, such as callTracer`)
  }
  return list
}

function boundedCount(value: unknown): string {
  const count = quantity(value)
  if (count === undefined) throw new RpcError(-32602, 'blockCount must be a quantity')
  return `0x${(count > 1024n ? 1024n : count).toString(16)}`
}

function withBoundedGas(call: unknown): unknown {
  if (!isRecord(call)) return call
  const gas = quantity(call.gas)
  return gas !== undefined && gas > BigInt(blockGasLimit) ? { ...call, gas: `0x${blockGasLimit.toString(16)}` } : call
}

function withBoundedCalls(payload: unknown): unknown {
  if (!isRecord(payload) || !Array.isArray(payload.blockStateCalls)) return payload
  const blocks = payload.blockStateCalls.map((block: unknown) =>
    isRecord(block) && Array.isArray(block.calls) ? { ...block, calls: block.calls.map(withBoundedGas) } : block,
  )
  return { ...payload, blockStateCalls: blocks }
}

function quantity(value: unknown): bigint | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  if (typeof value !== 'string' || value.length > 66 || !/^(0x[0-9a-fA-F]+|\d+)$/.test(value)) return undefined
  return BigInt(value)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

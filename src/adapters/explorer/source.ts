import {
  type Address,
  formatLog,
  formatTransaction,
  formatTransactionReceipt,
  type Log,
  type RpcTransaction,
  type RpcTransactionReceipt,
} from 'viem'
import { depositType } from '../../opstack/deposits.ts'
import { totalFee } from '../../opstack/total-fee.ts'
import type { Deployment } from '../chain/reads/deployment.ts'
import { readAddress } from './address.ts'
import { readBlock, readNewest, sentOf } from './blocks.ts'
import type { CallNode } from './node.ts'
import { createParties, type Parties } from './parties.ts'
import { explained, traceTree } from './trace.ts'
import { transfersIn } from './transfers.ts'

/** The most logs of a transaction that a page shows. */
const mostLogs = 200

/** The data of the explorer pages, read from a node and the deployment table. */
export function explorerSource(callNode: CallNode, deployment: Deployment) {
  const parties = createParties(callNode, deployment)
  const symbol = deployment.native_symbol

  return {
    newest: async () => ({ ...(await readNewest(callNode, parties)), nativeSymbol: symbol }),
    async block(id: string) {
      const block = await readBlock(callNode, /^\d/.test(id) && id.length < 66 ? BigInt(id) : id, true)
      if (block === null) return null
      const transactions = block.transactions.map((one) => sentOf(one, parties))
      return { ...block, transactions, nativeSymbol: symbol }
    },
    async kindOf(hash: string) {
      const [block, transaction] = await Promise.all([
        readBlock(callNode, hash),
        callNode('eth_getTransactionByHash', hash),
      ])
      return block !== null ? ('block' as const) : transaction !== null ? ('transaction' as const) : null
    },
    tokenOf(wanted: string) {
      const found = deployment.tokens.find((one) => one.symbol.toLowerCase() === wanted.toLowerCase())
      return found?.address.toLowerCase() ?? null
    },
    async transaction(hash: string) {
      const [found, receipt] = await Promise.all([
        callNode('eth_getTransactionByHash', hash),
        callNode('eth_getTransactionReceipt', hash),
      ])
      if (found === null) return null
      const described = await describe(callNode, parties, symbol, formatTransaction(found as RpcTransaction), receipt)
      return { ...described, mintedWei: mintedBy(found) }
    },
    address: async (address: string) => await readAddress(callNode, parties, deployment, address as Address),
  }
}

async function describe(
  callNode: CallNode,
  parties: Parties,
  nativeSymbol: string,
  transaction: ReturnType<typeof formatTransaction>,
  found: unknown,
) {
  const { hash, from, to, value, nonce, input, blockNumber } = transaction
  const [block, head] = await Promise.all([
    blockNumber == null ? null : readBlock(callNode, blockNumber),
    readBlock(callNode, 'latest'),
  ])
  const receipt = found === null ? null : formatTransactionReceipt(found as RpcTransactionReceipt)
  const logs = receipt?.logs.map((log) => formatLog(log as never) as Log) ?? []
  const [transfers, trace] = await Promise.all([
    transfersIn(logs, parties),
    receipt === null ? null : traceOf(callNode, parties, hash),
  ])
  return {
    hash,
    nativeSymbol,
    status: receipt === null ? ('pending' as const) : receipt.status,
    blockNumber: block?.number ?? null,
    depth: block === null || head === null ? null : head.number - block.number + 1n,
    timestamp: block?.timestamp ?? null,
    from: parties.party(from),
    to: to === null ? null : parties.party(to),
    contract: receipt?.contractAddress == null ? null : parties.party(receipt.contractAddress),
    valueWei: value,
    nonce,
    input,
    gasUsed: receipt?.gasUsed ?? null,
    feeWei: receipt === null ? null : totalFee(receipt, found),
    logs: logs.slice(0, mostLogs).map((log) => ({ ...explained(log), contract: parties.party(log.address) })),
    hiddenLogs: Math.max(logs.length - mostLogs, 0),
    transfers,
    trace,
  }
}

/** Null where the transaction is not a deposit. */
function mintedBy(transaction: unknown): bigint | null {
  const { type, mint } = transaction as { type?: string; mint?: string | null }
  return type === depositType ? BigInt(mint ?? 0) : null
}

/** Null where the node cannot trace, or no longer has the state. */
async function traceOf(callNode: CallNode, parties: Parties, hash: string) {
  const trace = await callNode('debug_traceTransaction', hash, { tracer: 'callTracer' }).catch(() => null)
  return trace === null || typeof trace !== 'object' || !('from' in trace) ? null : traceTree(trace, parties)
}

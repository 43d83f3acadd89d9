import {
  type Address,
  decodeEventLog,
  formatLog,
  formatTransaction,
  formatTransactionReceipt,
  type Log,
  parseAbi,
  type RpcTransaction,
  type RpcTransactionReceipt,
} from 'viem'
import { depositType } from '../../opstack/deposits.ts'
import { messagesIn, type WireLog } from '../../opstack/messages.ts'
import { totalFee } from '../../opstack/total-fee.ts'
import type { Deployment } from '../chain/reads/deployment.ts'
import { readAddress } from './address.ts'
import { readBlock, readNewest, sentOf } from './blocks.ts'
import type { CallNode } from './node.ts'
import { createParties, type Parties, type Party } from './parties.ts'
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
      return { ...described, mintedWei: mintedBy(found), withdrawnWei: withdrawnBy(receipt) }
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
  const { hash, from, to, value, nonce, input, blockNumber, gasPrice } = transaction
  const [block, head] = await Promise.all([
    blockNumber == null ? null : readBlock(callNode, blockNumber),
    readBlock(callNode, 'latest'),
  ])
  const receipt = found === null ? null : formatTransactionReceipt(found as RpcTransactionReceipt)
  const price = receipt?.effectiveGasPrice ?? gasPrice ?? 0n // receipts of chains without base fees may lack it
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
    feeWei: receipt === null ? null : totalFee({ gasUsed: receipt.gasUsed, effectiveGasPrice: price }, found),
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

function withdrawnBy(receipt: unknown): bigint[] {
  const { logs } = (receipt ?? { logs: [] }) as { logs: WireLog[] }
  return messagesIn(logs).map(({ value }) => value)
}

/** Null where the node cannot trace, or no longer has the state. */
async function traceOf(callNode: CallNode, parties: Parties, hash: string) {
  const trace = await callNode('debug_traceTransaction', hash, { tracer: 'callTracer' }).catch(() => null)
  return trace === null || typeof trace !== 'object' || !('from' in trace) ? null : traceTree(trace, parties)
}

/** One call inside a transaction; value in wei. `hidden` counts the nested calls that the page omits. */
type TracedCall = {
  type: string
  to: Party | null
  selector: string
  valueWei: bigint
  gasUsed: bigint
  error: string | null
  calls: TracedCall[]
  hidden: number
}

type Frame = {
  type?: string
  to?: string
  input?: string
  value?: string
  gasUsed?: string
  error?: string
  calls?: Frame[]
}

const mostCalls = 200
const mostDepth = 20

/** The call tree of the callTracer, cut to what a page can show. */
function traceTree(trace: unknown, parties: Parties): TracedCall {
  let left = mostCalls
  const treeOf = (frame: Frame, depth: number): TracedCall => {
    left -= 1
    const below = frame.calls ?? []
    const calls: TracedCall[] = []
    for (const one of below) if (left > 0 && depth < mostDepth) calls.push(treeOf(one, depth + 1))
    return {
      type: String(frame.type ?? 'CALL').slice(0, 20),
      to: frame.to === undefined ? null : parties.party(frame.to),
      selector: String(frame.input ?? '0x').slice(0, 10),
      valueWei: BigInt(frame.value ?? 0),
      gasUsed: BigInt(frame.gasUsed ?? 0),
      error: frame.error === undefined ? null : frame.error.slice(0, 200).toWellFormed(),
      calls,
      hidden: below.length - calls.length,
    }
  }
  return treeOf(trace as Frame, 0)
}

const knownEvents = [
  ...parseAbi([
    'event Transfer(address indexed from, address indexed to, uint256 value)',
    'event Approval(address indexed owner, address indexed spender, uint256 value)',
    'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
    'event Sync(uint112 reserve0, uint112 reserve1)',
  ]),
  ...parseAbi([
    'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
    'event Deposit(address indexed dst, uint256 wad)',
    'event Withdrawal(address indexed src, uint256 wad)',
  ]),
] as const

/** Decodes a log where its event is known; other logs are shown raw. */
function explained(log: Log) {
  return { index: log.logIndex ?? 0, address: log.address, topics: log.topics, data: log.data, event: eventOf(log) }
}

function eventOf(log: Log): { name: string; args: { name: string; value: string }[] } | null {
  try {
    const { eventName, args } = decodeEventLog({ abi: knownEvents, topics: log.topics, data: log.data })
    return { name: eventName, args: Object.entries(args).map(([name, value]) => ({ name, value: String(value) })) }
  } catch {
    return null
  }
}

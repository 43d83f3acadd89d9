import {
  decodeEventLog,
  formatBlock,
  formatLog,
  formatTransaction,
  formatTransactionReceipt,
  type Log,
  parseAbi,
  type RpcBlock,
  type RpcTransaction,
  type RpcTransactionReceipt,
} from 'viem'
import { DomainError } from '../../domain/errors.ts'

/** An EIP-1193 request function over a node. */
export type NodeRequest = (call: { method: string; params: readonly unknown[] }) => Promise<unknown>

const knownEvents = [
  ...parseAbi([
    'event Transfer(address indexed from, address indexed to, uint256 value)',
    'event Approval(address indexed owner, address indexed spender, uint256 value)',
    'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
  ]),
  ...parseAbi([
    'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
    'event Deposit(address indexed dst, uint256 wad)',
    'event Withdrawal(address indexed src, uint256 wad)',
  ]),
] as const

/** What the explorer reads, over a node; shaped as the explorer's `ExplorerSource`. A node that fails is UNAVAILABLE, with its cause. */
export function explorerSource(request: NodeRequest) {
  async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      return await request({ method, params })
    } catch (cause) {
      throw new DomainError('UNAVAILABLE', 'The chain does not answer; try again in a few seconds.', {}, cause)
    }
  }

  return {
    async transaction(hash: string) {
      const [found, receipt] = await Promise.all([
        ask('eth_getTransactionByHash', [hash]),
        ask('eth_getTransactionReceipt', [hash]),
      ])
      if (found === null) return null
      const transaction = formatTransaction(found as RpcTransaction)
      const block =
        transaction.blockNumber == null
          ? null
          : await ask('eth_getBlockByNumber', [`0x${transaction.blockNumber.toString(16)}`, false])
      return {
        hash: transaction.hash,
        blockNumber: transaction.blockNumber,
        timestamp: block === null ? null : dateOf(formatBlock(block as RpcBlock).timestamp),
        from: transaction.from,
        to: transaction.to,
        valueWei: transaction.value,
        nonce: transaction.nonce,
        input: transaction.input,
        ...outcomeOf(receipt),
      }
    },
    async head() {
      const block = formatBlock((await ask('eth_getBlockByNumber', ['latest', false])) as RpcBlock)
      if (block.number === null || block.hash === null)
        throw new DomainError('UNAVAILABLE', 'The chain has no block yet; try again in a few seconds.')
      return { number: block.number, hash: block.hash, timestamp: dateOf(block.timestamp) }
    },
  }
}

function outcomeOf(found: unknown) {
  if (found === null)
    return { status: 'pending' as const, contractAddress: null, gasUsed: null, feeWei: null, logs: [] }
  const receipt = formatTransactionReceipt(found as RpcTransactionReceipt)
  return {
    status: receipt.status,
    contractAddress: receipt.contractAddress ?? null,
    gasUsed: receipt.gasUsed,
    feeWei: receipt.gasUsed * receipt.effectiveGasPrice + l1FeeOf(found),
    logs: receipt.logs.map((log) => explained(formatLog(log as never) as Log)),
  }
}

/** Rollup nodes report what the parent chain charges beside the gas. */
function l1FeeOf(receipt: unknown): bigint {
  const fee = (receipt as { l1Fee?: unknown }).l1Fee
  return typeof fee === 'string' && /^0x[0-9a-fA-F]+$/.test(fee) ? BigInt(fee) : 0n
}

function explained(log: Log) {
  return { index: log.logIndex ?? 0, address: log.address, topics: log.topics, data: log.data, event: eventOf(log) }
}

function eventOf(log: Log): { name: string; args: { name: string; value: string }[] } | null {
  try {
    const { eventName, args } = decodeEventLog({ abi: knownEvents, topics: log.topics, data: log.data })
    return { name: eventName, args: Object.entries(args).map(([name, value]) => ({ name, value: String(value) })) }
  } catch {
    return null // an event we have no name for is shown raw
  }
}

function dateOf(seconds: bigint): Date {
  return new Date(Number(seconds) * 1_000)
}

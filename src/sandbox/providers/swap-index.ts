import { type Address, decodeEventLog, type Hex, numberToHex, parseAbi, toEventSelector } from 'viem'
import type { Request } from '../requests/public-requests.ts'
import { inUnits, type MarketPool, marketPools } from './market-facts.ts'

/** A swap by the event of its pool. Amounts are positive where the pool received them, negative where it paid. */
export type IndexedSwap = {
  id: string
  pool: MarketPool
  block: number
  timestamp: number
  transaction: Hex
  sender: Hex
  recipient: Hex
  amount0: number
  amount1: number
}

/** The swaps of the market. Each read adds those of new blocks. */
type SwapIndex = {
  /** The swaps in order of time, from block `from` to the newest block `to`. */
  read(): Promise<{ swaps: readonly IndexedSwap[]; from: number; to: number }>
}

const [v2Swap, v3Swap] = [
  parseAbi([
    'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
  ]),
  parseAbi([
    'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
  ]),
]
const swapTopics = [[v2Swap, v3Swap].map(([event]) => toEventSelector(event))]

/** The chain returns no more logs at once. */
const maxLogs = 10_000
/** The most blocks that are read, and the most swaps that are retained. */
const maxBlocks = 400_000
const maxSwaps = 50_000

type Log = {
  address: Hex
  topics: [Hex, ...Hex[]]
  data: Hex
  blockNumber: Hex
  blockTimestamp?: Hex
  transactionHash: Hex
  logIndex: Hex
}

/** Creates the index. Nothing is read before the first call. Mined blocks of the embedded chain never change. */
export function createSwapIndex(request: Request, firstBlock: number): SwapIndex {
  const byAddress = new Map<string, MarketPool>(marketPools.map((pool) => [pool.id, pool]))
  let swaps: IndexedSwap[] = []
  let from: number | null = null
  let next = firstBlock
  let reading: Promise<number> | null = null
  /** The number of blocks in one request. */
  let span = 10_000

  async function readOn(): Promise<number> {
    const head = Number(await request({ method: 'eth_blockNumber', params: [] }))
    from ??= Math.max(firstBlock, head - maxBlocks)
    next = Math.max(next, from)
    while (next <= head) {
      const last = Math.min(next + span - 1, head)
      const filter = {
        address: [...byAddress.keys()],
        topics: swapTopics,
        fromBlock: numberToHex(next),
        toBlock: numberToHex(last),
      }
      const logs = (await request({ method: 'eth_getLogs', params: [filter] })) as Log[]
      if (logs.length > maxLogs && last > next) {
        span = Math.ceil(span / 4) // some were left out
        continue
      }
      for (const log of logs) swaps.push(await indexed(log))
      next = last + 1
    }
    if (swaps.length > maxSwaps) {
      swaps = swaps.slice(-maxSwaps)
      from = swaps[0]?.block ?? from
    }
    return head
  }

  async function indexed(log: Log): Promise<IndexedSwap> {
    const pool = byAddress.get(log.address.toLowerCase())
    if (pool === undefined) throw new Error(`a log of ${log.address}, which is not a pool`)
    const { blockTimestamp = await timestampOf(log.blockNumber) } = log
    return {
      id: `${log.transactionHash}-${Number(log.logIndex)}`,
      pool,
      transaction: log.transactionHash,
      block: Number(log.blockNumber),
      timestamp: Number(blockTimestamp),
      ...amountsOf(log, pool),
    }
  }

  async function timestampOf(block: Hex): Promise<Hex> {
    const header = await request({ method: 'eth_getBlockByNumber', params: [block, false] })
    return (header as { timestamp: Hex }).timestamp
  }

  return {
    async read() {
      reading ??= readOn().finally(() => {
        reading = null
      })
      const to = await reading
      return { swaps, from: from ?? firstBlock, to }
    },
  }
}

function amountsOf({ topics, data }: Log, { version, token0, token1 }: MarketPool) {
  if (version === 3) {
    const { args } = decodeEventLog({ abi: v3Swap, topics, data })
    const { sender, recipient } = args as { sender: Address; recipient: Address }
    const { amount0, amount1 } = args as { amount0: bigint; amount1: bigint }
    return {
      sender,
      recipient,
      amount0: inUnits(amount0, token0.decimals),
      amount1: inUnits(amount1, token1.decimals),
    }
  }
  const { args } = decodeEventLog({ abi: v2Swap, topics, data })
  const { sender, to: recipient, amount0In, amount0Out, amount1In, amount1Out } = args
  return {
    sender,
    recipient,
    amount0: inUnits(amount0In - amount0Out, token0.decimals),
    amount1: inUnits(amount1In - amount1Out, token1.decimals),
  }
}

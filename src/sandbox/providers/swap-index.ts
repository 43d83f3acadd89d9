import { type Address, decodeEventLog, type Hex, numberToHex, parseAbi, toEventSelector } from 'viem'
import type { Request } from '../requests/public-requests.ts'
import { inUnits, type MarketPool, marketPools } from './market-facts.ts'

/** A swap as its pool's event tells it; amounts are what the pool got (above 0) and gave (below 0). */
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

/** The swaps of the market, kept up to date by whoever asks. */
export type SwapIndex = {
  /** In order of time, up to the newest block; `from` is the first block that is looked at. */
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
const topics = [[v2Swap, v3Swap].map(([event]) => toEventSelector(event))]

/** The chain answers no more logs at once. */
const mostLogs = 10_000
/** The most blocks and swaps that are kept. */
const mostBlocks = 400_000
const mostSwaps = 50_000

type Log = {
  address: Hex
  topics: [Hex, ...Hex[]]
  data: Hex
  blockNumber: Hex
  blockTimestamp?: Hex
  transactionHash: Hex
  logIndex: Hex
}

/** Makes the index; nothing is read before somebody asks. Blocks of the embedded chain never change once sealed. */
export function createSwapIndex(request: Request, firstBlock: number): SwapIndex {
  const byAddress = new Map<string, MarketPool>(marketPools.map((place) => [place.id, place]))
  let swaps: IndexedSwap[] = []
  let from: number | null = null
  let next = firstBlock
  let reading: Promise<number> | null = null
  /** Blocks that are asked for at once. */
  let span = 10_000

  async function readOn(): Promise<number> {
    const head = Number(await request({ method: 'eth_blockNumber', params: [] }))
    from ??= Math.max(firstBlock, head - mostBlocks)
    next = Math.max(next, from)
    while (next <= head) {
      const last = Math.min(next + span - 1, head)
      const filter = {
        address: [...byAddress.keys()],
        topics,
        fromBlock: numberToHex(next),
        toBlock: numberToHex(last),
      }
      const logs = (await request({ method: 'eth_getLogs', params: [filter] })) as Log[]
      if (logs.length > mostLogs && last > next) {
        span = Math.ceil(span / 4) // not all of them were answered
        continue
      }
      for (const log of logs) swaps.push(await indexed(log))
      next = last + 1
    }
    if (swaps.length > mostSwaps) {
      swaps = swaps.slice(-mostSwaps)
      from = swaps[0]?.block ?? from
    }
    return head
  }

  async function indexed(log: Log): Promise<IndexedSwap> {
    const pool = byAddress.get(log.address.toLowerCase())
    if (pool === undefined) throw new Error(`a log of ${log.address}, which is no pool`)
    const { blockTimestamp = await timestampOf(log.blockNumber) } = log
    return {
      ...{ id: `${log.transactionHash}-${Number(log.logIndex)}`, pool, transaction: log.transactionHash },
      ...{ block: Number(log.blockNumber), timestamp: Number(blockTimestamp) },
      ...amountsOf(log, pool),
    }
  }

  async function timestampOf(block: Hex): Promise<Hex> {
    const answer = await request({ method: 'eth_getBlockByNumber', params: [block, false] })
    return (answer as { timestamp: Hex }).timestamp
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

function amountsOf({ topics: places, data }: Log, { version, token0, token1 }: MarketPool) {
  if (version === 3) {
    const { args } = decodeEventLog({ abi: v3Swap, topics: places, data })
    const { sender, recipient } = args as { sender: Address; recipient: Address }
    const { amount0, amount1 } = args as { amount0: bigint; amount1: bigint }
    return {
      ...{ sender, recipient, amount0: inUnits(amount0, token0.decimals), amount1: inUnits(amount1, token1.decimals) },
    }
  }
  const { args } = decodeEventLog({ abi: v2Swap, topics: places, data })
  const { sender, to: recipient, amount0In, amount0Out, amount1In, amount1Out } = args
  return {
    ...{ sender, recipient, amount0: inUnits(amount0In - amount0Out, token0.decimals) },
    amount1: inUnits(amount1In - amount1Out, token1.decimals),
  }
}

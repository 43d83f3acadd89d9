import {
  type Address,
  decodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  numberToHex,
  parseAbiParameters,
  toEventSelector,
} from 'viem'
import { feedAbi, tokenAbi } from '../deploy/abis.ts'
import { addresses, sorted, v2PairAddress, v3PoolAddress } from '../deploy/addresses.ts'
import { feedDecimals, type MarketToken, pools, tokens } from '../deploy/market.ts'
import type { Request } from '../requests/public-requests.ts'

export const daySeconds = 86_400

/** A pool of the market, with its tokens in their order on chain. */
type MarketPool = { id: Address; version: 2 | 3; feePips: number; token0: MarketToken; token1: MarketToken }

/** The balances of a pool at a block, and their value in US dollars by the feeds. */
export type PoolState = MarketPool & { amount0: number; amount1: number; tvlUsd: number }

/** The market at one block. */
type MarketFacts = {
  block: { number: number; timestamp: number }
  pools: readonly PoolState[]
  /** US dollars for one token, by its symbol. */
  prices: ReadonlyMap<string, number>
}

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

/** The market, read at most once a second, and its swaps in order of time, up to the block `indexed`. */
export type ChainFacts = MarketFacts & { chainId: number; swaps: readonly IndexedSwap[]; indexed: number }

/**
 * The public data of the embedded chain that the providers serve. Reading the swaps adds those of new blocks, which takes
 * long for the first time on an old chain; without them the list is empty.
 */
export type ChainData = {
  read(wanted: { swaps: boolean }): Promise<ChainFacts>
  swaps(): Promise<readonly IndexedSwap[]>
}

/** The pools that the keeper holds at the feeds' prices. */
const marketPools: readonly MarketPool[] = pools.map(({ version, fee, a, b }) => {
  const [token0, token1] = sorted(a.address, b.address)[0] === a.address ? [a, b] : [b, a]
  const id = version === 2 ? v2PairAddress(a.address, b.address) : v3PoolAddress(a.address, b.address, fee)
  return { id: id.toLowerCase() as Address, version, feePips: fee, token0, token1 }
})

const swapTopics = [
  toEventSelector('Swap(address,uint256,uint256,uint256,uint256,address)'),
  toEventSelector('Swap(address,address,int256,int256,uint160,uint128,int24)'),
]
/** Both events index the sender and the recipient. These are the rest. */
const [v2Amounts, v3Amounts] = [
  parseAbiParameters('uint256, uint256, uint256, uint256'),
  parseAbiParameters('int256, int256, uint160, uint128, int24'),
]
const [round, balance] = [parseAbiParameters('uint80, int256, uint256, uint256, uint80'), parseAbiParameters('uint256')]

/** The chain returns the logs of no further block where it has more than these. */
const maxLogs = 10_000
const blocksAtOnce = 10_000
/** The most blocks that are read, and the most swaps that are retained. */
const maxBlocks = 400_000
const maxSwaps = 50_000

type Options = { request: Request; chainId: number; firstBlock: number }

/** Creates a reader of the chain's data. Nothing is read before the first call. */
export function openChainData({ request, chainId, firstBlock }: Options): ChainData {
  let market: { at: number; facts: Promise<MarketFacts> } | null = null
  let swaps: IndexedSwap[] = []
  let next = firstBlock
  let reading: Promise<number> | null = null

  /** Mined blocks of the embedded chain never change. */
  async function readOn(): Promise<number> {
    const head = Number(await request({ method: 'eth_blockNumber', params: [] }))
    if (next === firstBlock) next = Math.max(firstBlock, head - maxBlocks)
    while (next <= head) {
      const last = Math.min(next + blocksAtOnce - 1, head)
      const range = { fromBlock: numberToHex(next), toBlock: numberToHex(last) }
      const filter = { address: marketPools.map(({ id }) => id), topics: [swapTopics], ...range }
      const logs = (await request({ method: 'eth_getLogs', params: [filter] })) as Log[]
      const fresh = await Promise.all(logs.map((log) => swapOf(request, log)))
      swaps = [...swaps, ...fresh].slice(-maxSwaps)
      next = (logs.length > maxLogs ? (swaps.at(-1)?.block ?? last) : last) + 1
    }
    return head
  }
  async function readSwaps(): Promise<number> {
    reading ??= readOn().finally(() => {
      reading = null
    })
    return await reading
  }
  function readMarketSeldom(): Promise<MarketFacts> {
    if (market !== null && performance.now() - market.at < 1_000) return market.facts
    const facts = readMarket(request)
    market = { at: performance.now(), facts }
    facts.catch(() => {
      market = null
    })
    return facts
  }

  return {
    async read(wanted) {
      const [facts, indexed] = await Promise.all([readMarketSeldom(), wanted.swaps ? readSwaps() : firstBlock])
      return { ...facts, chainId, swaps: wanted.swaps ? swaps : [], indexed }
    },
    async swaps() {
      await readSwaps()
      return swaps
    },
  }
}

type WireBlock = { number: Hex; timestamp: Hex }

/** Reads balances and prices at the newest block. */
async function readMarket(request: Request): Promise<MarketFacts> {
  const head = (await request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as WireBlock
  const call = async (to: Address, data: Hex) =>
    (await request({ method: 'eth_call', params: [{ to, data }, head.number] })) as Hex
  const latest = encodeFunctionData({ abi: feedAbi, functionName: 'latestRoundData' })
  const priced = Object.values(tokens).map(async ({ symbol, feed }) => {
    const [, answer] = decodeAbiParameters(round, await call(addresses[feed], latest))
    return [symbol, inUnits(answer, feedDecimals)] as const
  })
  const prices = new Map<string, number>(await Promise.all(priced))
  const balanceOf = async (token: MarketToken, owner: Address) => {
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'balanceOf', args: [owner] })
    return inUnits(decodeAbiParameters(balance, await call(token.address, data))[0], token.decimals)
  }
  const states = marketPools.map(async (pool) => {
    const { id, token0, token1 } = pool
    const [amount0, amount1] = await Promise.all([balanceOf(token0, id), balanceOf(token1, id)])
    const worth = amount0 * (prices.get(token0.symbol) ?? 0) + amount1 * (prices.get(token1.symbol) ?? 0)
    return { ...pool, amount0, amount1, tvlUsd: cents(worth) }
  })
  const block = { number: Number(head.number), timestamp: Number(head.timestamp) }
  return { block, pools: await Promise.all(states), prices }
}

type Log = {
  address: Hex
  topics: readonly [Hex, Hex, Hex]
  data: Hex
  blockNumber: Hex
  blockTimestamp?: Hex
  transactionHash: Hex
  logIndex: Hex
}

async function swapOf(request: Request, log: Log): Promise<IndexedSwap> {
  const { address, topics, data, blockNumber, transactionHash: transaction } = log
  const pool = marketPools.find(({ id }) => id === address.toLowerCase())
  if (pool === undefined) throw new Error(`a log of ${address}, which is not a pool`)
  const { timestamp } =
    log.blockTimestamp === undefined
      ? ((await request({ method: 'eth_getBlockByNumber', params: [blockNumber, false] })) as WireBlock)
      : { timestamp: log.blockTimestamp }
  const [amount0, amount1] = pool.version === 3 ? decodeAbiParameters(v3Amounts, data) : v2Change(data)
  return {
    id: `${transaction}-${Number(log.logIndex)}`,
    pool,
    transaction,
    block: Number(blockNumber),
    timestamp: Number(timestamp),
    sender: addressIn(topics[1]),
    recipient: addressIn(topics[2]),
    amount0: inUnits(amount0, pool.token0.decimals),
    amount1: inUnits(amount1, pool.token1.decimals),
  }
}

function v2Change(data: Hex): readonly [bigint, bigint] {
  const [in0, in1, out0, out1] = decodeAbiParameters(v2Amounts, data)
  return [in0 - out0, in1 - out1]
}

function addressIn(topic: Hex): Address {
  return getAddress(`0x${topic.slice(-40)}`)
}

/** An amount of smallest units as the JSON number of a provider. */
function inUnits(amount: bigint, decimals: number): number {
  return Number(amount) / 10 ** decimals
}

/** Dollars rounded to whole cents. */
export function cents(usd: number): number {
  return Math.round(usd * 100) / 100
}

type Prices = Pick<MarketFacts, 'prices'>

/** The value of one side of a swap in US dollars at current prices, negative where the pool paid it. */
export function worthOf({ prices }: Prices, { pool, ...swap }: IndexedSwap, side: 0 | 1): number {
  return swap[`amount${side}`] * (prices.get(pool[`token${side}`].symbol) ?? 0)
}

/** The traded volume of swaps in US dollars at current prices. */
export function volumeOf(prices: Prices, swaps: readonly IndexedSwap[]): number {
  return cents(swaps.reduce((sum, swap) => sum + Math.abs(worthOf(prices, swap, 0)), 0))
}

/** The day of a moment, counted since 1970. */
export function dayOf({ timestamp }: { timestamp: number }): number {
  return Math.floor(timestamp / daySeconds)
}

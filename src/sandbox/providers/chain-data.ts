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
import { tokenAbi } from '../deploy/abis.ts'
import { sorted, v2PairAddress, v3PoolAddress } from '../deploy/addresses.ts'
import { type MarketToken, pools, tokens } from '../deploy/market.ts'
import { type MarketPrices, usdOf } from '../market/clock.ts'
import type { Request } from '../requests/public-requests.ts'

const hourSeconds = 3_600
export const daySeconds = 24 * hourSeconds

/** A pool of the market, with its tokens in their order on chain. */
type MarketPool = { id: Address; version: 2 | 3; feePips: number; token0: MarketToken; token1: MarketToken }

/** The balances of a pool at a block, and their value in US dollars. */
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
  /** The traded value in US dollars at the time of the swap. */
  usd: number
}

/** What all swaps of a pool in one hour, counted since 1970, traded and brought in. */
export type HourOfPool = Pick<IndexedSwap, 'amount0' | 'amount1' | 'usd'> & {
  pool: Address
  hour: number
  swaps: number
}

/**
 * The market, read at most once a second, and its trade up to the block `indexed`. Every swap counts in `hours`; `swaps`
 * lists the newest ones in order of time.
 */
export type ChainFacts = MarketFacts & {
  chainId: number
  swaps: readonly IndexedSwap[]
  hours: readonly HourOfPool[]
  indexed: number
  /** The prices of every time. */
  usdAt: (symbol: string, at: number) => number
}

/**
 * The public data of the embedded chain that the providers serve. Reading the swaps adds those of new blocks, which takes
 * long for the first time on an old chain; without them the list is empty.
 */
export type ChainData = {
  read(wanted: { swaps: boolean }): Promise<ChainFacts>
  /** Those of users. The arbitrageur only repeats the price that the market has. */
  swaps(): Promise<readonly IndexedSwap[]>
}

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
const balance = parseAbiParameters('uint256')

/** The chain returns the logs of no further block where it has more than these. */
const maxLogs = 10_000
const blocksAtOnce = 10_000
/** The most blocks that are read, and the most swaps that are listed: of users, and of the arbitrageur. */
const maxBlocks = 400_000
const [maxSwaps, maxArbitrage] = [50_000, 5_000]

type Options = {
  request: Request
  chainId: number
  firstBlock: number
  prices: MarketPrices
  /** The account whose swaps bring the market's prices to the pools. It trades far more often than users. */
  arbitrageur: Address | null
}

/** Creates a reader of the chain's data. Nothing is read before the first call. */
export function openChainData({ request, chainId, firstBlock, prices, arbitrageur }: Options): ChainData {
  let market: { at: number; facts: Promise<MarketFacts> } | null = null
  let [swaps, arbitrage]: [IndexedSwap[], IndexedSwap[]] = [[], []]
  let listed: readonly IndexedSwap[] | null = null
  const hours = new Map<string, HourOfPool>()
  let next = firstBlock
  let reading: Promise<number> | null = null
  const usdAt = (symbol: string, at: number) => usdOf(prices, symbol, at)

  /** Mined blocks of the embedded chain never change. */
  async function readOn(): Promise<number> {
    const head = Number(await request({ method: 'eth_blockNumber', params: [] }))
    if (next === firstBlock) next = Math.max(firstBlock, head - maxBlocks)
    while (next <= head) {
      const last = Math.min(next + blocksAtOnce - 1, head)
      const range = { fromBlock: numberToHex(next), toBlock: numberToHex(last) }
      const filter = { address: marketPools.map(({ id }) => id), topics: [swapTopics], ...range }
      const logs = (await request({ method: 'eth_getLogs', params: [filter] })) as Log[]
      const fresh = await Promise.all(logs.map((log) => swapOf(request, log, usdAt)))
      add(fresh)
      next = (logs.length > maxLogs ? (fresh.at(-1)?.block ?? last) : last) + 1
    }
    return head
  }

  function add(fresh: readonly IndexedSwap[]): void {
    if (fresh.length === 0) return
    const { own = [], ofUsers = [] } = Object.groupBy(fresh, ({ recipient }) =>
      recipient === arbitrageur ? 'own' : 'ofUsers',
    )
    swaps = [...swaps, ...ofUsers].slice(-maxSwaps)
    arbitrage = [...arbitrage, ...own].slice(-maxArbitrage)
    listed = null
    for (const swap of fresh) count(hours, swap)
  }

  async function readSwaps(): Promise<number> {
    reading ??= readOn().finally(() => {
      reading = null
    })
    return await reading
  }
  function readMarketSeldom(): Promise<MarketFacts> {
    if (market !== null && performance.now() - market.at < 1_000) return market.facts
    const facts = readMarket(request, usdAt)
    market = { at: performance.now(), facts }
    facts.catch(() => {
      market = null
    })
    return facts
  }

  return {
    async read(wanted) {
      const [facts, indexed] = await Promise.all([readMarketSeldom(), wanted.swaps ? readSwaps() : firstBlock])
      if (!wanted.swaps) return { ...facts, chainId, swaps: [], hours: [], indexed, usdAt }
      listed ??= [...swaps, ...arbitrage].sort((left, right) => left.block - right.block)
      return { ...facts, chainId, swaps: listed, hours: [...hours.values()], indexed, usdAt }
    },
    async swaps() {
      await readSwaps()
      return swaps
    },
  }
}

/** Adds a swap to the hour of its pool. */
function count(hours: Map<string, HourOfPool>, { pool: { id: pool }, timestamp, amount0, amount1, usd }: IndexedSwap) {
  const hour = Math.floor(timestamp / hourSeconds)
  const key = `${pool} ${hour}`
  const sum = hours.get(key) ?? { pool, hour, swaps: 0, amount0: 0, amount1: 0, usd: 0 }
  sum.swaps += 1
  sum.amount0 += amount0
  sum.amount1 += amount1
  sum.usd += usd
  hours.set(key, sum)
}

type WireBlock = { number: Hex; timestamp: Hex }

/** Reads balances at the newest block. */
async function readMarket(request: Request, usdAt: ChainFacts['usdAt']): Promise<MarketFacts> {
  const head = (await request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as WireBlock
  const call = async (to: Address, data: Hex) =>
    (await request({ method: 'eth_call', params: [{ to, data }, head.number] })) as Hex
  const block = { number: Number(head.number), timestamp: Number(head.timestamp) }
  const prices = new Map(Object.keys(tokens).map((symbol) => [symbol, usdAt(symbol, block.timestamp)]))
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

async function swapOf(request: Request, log: Log, usdAt: ChainFacts['usdAt']): Promise<IndexedSwap> {
  const { address, topics, data, blockNumber, transactionHash: transaction } = log
  const pool = marketPools.find(({ id }) => id === address.toLowerCase())
  if (pool === undefined) throw new Error(`a log of ${address}, which is not a pool`)
  const { timestamp } =
    log.blockTimestamp === undefined
      ? ((await request({ method: 'eth_getBlockByNumber', params: [blockNumber, false] })) as WireBlock)
      : { timestamp: log.blockTimestamp }
  const [units0, units1] = pool.version === 3 ? decodeAbiParameters(v3Amounts, data) : v2Change(data)
  const [amount0, amount1] = [inUnits(units0, pool.token0.decimals), inUnits(units1, pool.token1.decimals)]
  return {
    id: `${transaction}-${Number(log.logIndex)}`,
    pool,
    transaction,
    block: Number(blockNumber),
    timestamp: Number(timestamp),
    sender: addressIn(topics[1]),
    recipient: addressIn(topics[2]),
    amount0,
    amount1,
    usd: Math.abs(amount0 * usdAt(pool.token0.symbol, Number(timestamp))),
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

/** The traded volume of hours in US dollars, each swap at the prices of its time, and their number of swaps. */
export function tradedIn(hours: readonly HourOfPool[]): { usd: number; swaps: number } {
  const total = { usd: 0, swaps: 0 }
  for (const { usd, swaps } of hours) {
    total.usd += usd
    total.swaps += swaps
  }
  return { ...total, usd: cents(total.usd) }
}

/** The day of a moment, counted since 1970. */
export function dayOf({ timestamp }: { timestamp: number }): number {
  return Math.floor(timestamp / daySeconds)
}

/** The day of an hour. */
export function dayOfHour({ hour }: { hour: number }): number {
  return Math.floor((hour * hourSeconds) / daySeconds)
}

/** The hours of the last day, the running one among them. */
export function lastDay({ hours, block }: ChainFacts): readonly HourOfPool[] {
  return hours.filter(({ hour }) => (hour + 1) * hourSeconds > block.timestamp - daySeconds)
}

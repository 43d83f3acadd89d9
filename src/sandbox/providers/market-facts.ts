import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { feedAbi, tokenAbi } from '../deploy/abis.ts'
import { addresses, sorted, v2PairAddress, v3PoolAddress } from '../deploy/addresses.ts'
import { feedDecimals, type MarketToken, pools, tokens } from '../deploy/market.ts'
import type { Request } from '../requests/public-requests.ts'

/** A pool of the market, with its tokens in their order on chain. */
export type MarketPool = { id: Address; version: 2 | 3; feePips: number; token0: MarketToken; token1: MarketToken }

/** The balances of a pool at a block, and their value in US dollars by the feeds. */
export type PoolState = MarketPool & { amount0: number; amount1: number; tvlUsd: number }

/** The market at one block. */
export type MarketFacts = {
  block: { number: number; timestamp: number }
  pools: readonly PoolState[]
  /** US dollars for one token, by its symbol. */
  prices: ReadonlyMap<string, number>
}

/** The pools that the keeper holds at the feeds' prices. */
export const marketPools: readonly MarketPool[] = pools.map(({ version, fee, a, b }) => {
  const aFirst = sorted(a.address, b.address)[0] === a.address
  const [token0, token1] = aFirst ? [a, b] : [b, a]
  const id = version === 2 ? v2PairAddress(a.address, b.address) : v3PoolAddress(a.address, b.address, fee)
  return { id: id.toLowerCase() as Address, version, feePips: fee, token0, token1 }
})

/** Reads balances and prices at the newest block. */
export async function readMarket(request: Request): Promise<MarketFacts> {
  const head = (await request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as WireBlock
  const call = async (to: Address, data: Hex) =>
    (await request({ method: 'eth_call', params: [{ to, data }, head.number] })) as Hex
  const prices = new Map<string, number>(
    await Promise.all(
      Object.values(tokens).map(async ({ symbol, feed }) => [symbol, await feedPrice(call, addresses[feed])] as const),
    ),
  )
  const states = marketPools.map(async (pool): Promise<PoolState> => {
    const [amount0, amount1] = await Promise.all([
      balanceOf(call, pool.token0, pool.id),
      balanceOf(call, pool.token1, pool.id),
    ])
    const worth = amount0 * (prices.get(pool.token0.symbol) ?? 0) + amount1 * (prices.get(pool.token1.symbol) ?? 0)
    return { ...pool, amount0, amount1, tvlUsd: cents(worth) }
  })
  const block = { number: Number(head.number), timestamp: Number(head.timestamp) }
  return { block, pools: await Promise.all(states), prices }
}

type WireBlock = { number: Hex; timestamp: Hex }
type Call = (to: Address, data: Hex) => Promise<Hex>

async function feedPrice(call: Call, feed: Address): Promise<number> {
  const latest = { abi: feedAbi, functionName: 'latestRoundData' } as const
  const [, answer] = decodeFunctionResult({ ...latest, data: await call(feed, encodeFunctionData(latest)) })
  return Number(answer) / 10 ** feedDecimals
}

async function balanceOf(call: Call, token: MarketToken, owner: Address): Promise<number> {
  const balance = { abi: tokenAbi, functionName: 'balanceOf' } as const
  const data = await call(token.address, encodeFunctionData({ ...balance, args: [owner] }))
  return inUnits(decodeFunctionResult({ ...balance, data }), token.decimals)
}

/** An amount of smallest units as the JSON number of a provider. */
export function inUnits(amount: bigint, decimals: number): number {
  return Number(amount) / 10 ** decimals
}

/** Dollars rounded to whole cents. */
export function cents(usd: number): number {
  return Math.round(usd * 100) / 100
}

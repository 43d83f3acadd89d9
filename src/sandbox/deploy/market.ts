import { type Address, parseEther, parseUnits } from 'viem'
import { addresses, type ContractName } from './addresses.ts'

/** A token of the market with the feed that prices it. */
export type MarketToken = { symbol: string; address: Address; decimals: number; feed: ContractName }

export const tokens = {
  WETH: { symbol: 'WETH', address: addresses.weth, decimals: 18, feed: 'ethUsdFeed' },
  USDC: { symbol: 'USDC', address: addresses.usdc, decimals: 6, feed: 'usdcUsdFeed' },
  WBTC: { symbol: 'WBTC', address: addresses.wbtc, decimals: 8, feed: 'btcUsdFeed' },
} as const satisfies Record<string, MarketToken>

export const feedDecimals = 8
export const heartbeatSeconds = 3600

type Feed = {
  pair: string
  name: ContractName
  answer: bigint
  /** Age of its first answer. */
  ageSeconds: number
}

/** The feeds that the keeper keeps fresh. The last prices the faulty tokens, which are worth a dollar by it. */
export const keptFeeds = [
  { pair: 'ETH/USD', name: 'ethUsdFeed', answer: 3_000_00000000n, ageSeconds: 0 },
  { pair: 'BTC/USD', name: 'btcUsdFeed', answer: 60_000_00000000n, ageSeconds: 0 },
  { pair: 'USDC/USD', name: 'usdcUsdFeed', answer: 1_00000000n, ageSeconds: 0 },
  { pair: 'TEST/USD', name: 'testUsdFeed', answer: 1_00000000n, ageSeconds: 0 },
] as const satisfies readonly Feed[]

/** A feed that answered a day before the chain began, and never again. */
const staleFeed = {
  pair: 'STALE/USD',
  name: 'staleUsdFeed',
  answer: 1_00000000n,
  ageSeconds: 86_400,
} as const satisfies Feed

export const feeds = [...keptFeeds, staleFeed] as const

export type Pool = { version: 2 | 3; fee: number; a: MarketToken; b: MarketToken; amountA: bigint; amountB: bigint }

const weth = (amount: string) => parseEther(amount)
const usdc = (amount: string) => parseUnits(amount, 6)
const wbtc = (amount: string) => parseUnits(amount, 8)

/**
 * The pools that are kept at the feeds' prices. Depths differ on purpose: the cheap v3 pools win small trades, the deep
 * v2 pools large ones, and WBTC to USDC is better by way of WETH until the trade is large.
 */
export const pools: readonly Pool[] = [
  { version: 2, fee: 3000, a: tokens.WETH, b: tokens.USDC, amountA: weth('8000'), amountB: usdc('24000000') },
  { version: 2, fee: 3000, a: tokens.WETH, b: tokens.WBTC, amountA: weth('4000'), amountB: wbtc('200') },
  { version: 3, fee: 500, a: tokens.WETH, b: tokens.USDC, amountA: weth('2500'), amountB: usdc('7500000') },
  { version: 3, fee: 3000, a: tokens.WETH, b: tokens.USDC, amountA: weth('2000'), amountB: usdc('6000000') },
  { version: 3, fee: 3000, a: tokens.WBTC, b: tokens.USDC, amountA: wbtc('250'), amountB: usdc('15000000') },
  { version: 3, fee: 500, a: tokens.WBTC, b: tokens.WETH, amountA: wbtc('100'), amountB: weth('2000') },
]

/** The bad token's pool is thin and left to itself. */
export const rugPool = { weth: weth('2'), rug: parseEther('1000000'), ownerSupply: parseEther('9000000') }

/** What the keeper trades with when it brings pools back to their feeds. */
export const keeperStock = {
  native: parseEther('100000'),
  weth: weth('100000'),
  usdc: usdc('300000000'),
  wbtc: wbtc('5000'),
}

export const treasuryNative = parseEther('10000000')

/** What one funding transaction gives; the Funder contract has the same numbers. */
export const grants = { native: parseEther('10'), weth: weth('5'), usdc: usdc('25000'), wbtc: wbtc('0.5') }

/** How much of a token all pools together start with. */
export function pooled(token: MarketToken): bigint {
  return pools.reduce(
    (sum, pool) =>
      sum + (pool.a.symbol === token.symbol ? pool.amountA : 0n) + (pool.b.symbol === token.symbol ? pool.amountB : 0n),
    0n,
  )
}

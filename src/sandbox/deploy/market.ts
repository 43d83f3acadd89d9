import { type Address, parseEther, parseUnits } from 'viem'
import { addresses, type ContractName } from './addresses.ts'

/** A token of the market with its price feed. */
export type MarketToken = { symbol: string; address: Address; decimals: number; feed: KeptFeed }

/** The feeds whose prices follow the market. */
export type KeptFeed = Extract<ContractName, 'ethUsdFeed' | 'btcUsdFeed' | 'usdcUsdFeed' | 'testUsdFeed'>

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
  /** Age of its first price at genesis. */
  ageSeconds: number
}

/** The feeds that the keeper writes. The last one prices the faulty tokens at one dollar. */
export const keptFeeds = [
  { pair: 'ETH/USD', name: 'ethUsdFeed', answer: 3_000_00000000n, ageSeconds: 0 },
  { pair: 'BTC/USD', name: 'btcUsdFeed', answer: 60_000_00000000n, ageSeconds: 0 },
  { pair: 'USDC/USD', name: 'usdcUsdFeed', answer: 1_00000000n, ageSeconds: 0 },
  { pair: 'TEST/USD', name: 'testUsdFeed', answer: 1_00000000n, ageSeconds: 0 },
] as const satisfies readonly Feed[]

/** A feed whose only price is from a day before genesis. */
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
 * The pools that the keeper holds at the market's prices. Depths differ on purpose: the v3 pools with low fees win small
 * trades, the deep v2 pools large ones, and WBTC to USDC is better through WETH until the trade is large.
 */
export const pools: readonly Pool[] = [
  { version: 2, fee: 3000, a: tokens.WETH, b: tokens.USDC, amountA: weth('8000'), amountB: usdc('24000000') },
  { version: 2, fee: 3000, a: tokens.WETH, b: tokens.WBTC, amountA: weth('4000'), amountB: wbtc('200') },
  { version: 3, fee: 500, a: tokens.WETH, b: tokens.USDC, amountA: weth('2500'), amountB: usdc('7500000') },
  { version: 3, fee: 3000, a: tokens.WETH, b: tokens.USDC, amountA: weth('2000'), amountB: usdc('6000000') },
  { version: 3, fee: 3000, a: tokens.WBTC, b: tokens.USDC, amountA: wbtc('250'), amountB: usdc('15000000') },
  { version: 3, fee: 500, a: tokens.WBTC, b: tokens.WETH, amountA: wbtc('100'), amountB: weth('2000') },
]

/** The pool of the rug-pull token is thin, and the keeper leaves it alone. */
export const rugPool = { weth: weth('2'), rug: parseEther('1000000'), ownerSupply: parseEther('9000000') }

/** The balances with which the keeper trades pools to the market's prices. */
export const keeperStock = {
  native: parseEther('100000'),
  weth: weth('100000'),
  usdc: usdc('300000000'),
  wbtc: wbtc('5000'),
}

export const treasuryNative = parseEther('10000000')

/** The amounts of one funding transaction. The Funder contract has the same numbers. */
export const grants = { native: parseEther('10'), weth: weth('5'), usdc: usdc('25000'), wbtc: wbtc('0.5') }

/** The amount of a token in all pools at the start. */
export function pooled(token: MarketToken): bigint {
  return pools.reduce(
    (sum, pool) =>
      sum + (pool.a.symbol === token.symbol ? pool.amountA : 0n) + (pool.b.symbol === token.symbol ? pool.amountB : 0n),
    0n,
  )
}

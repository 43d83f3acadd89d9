import { parseEther } from 'viem'
import type { ContractName } from './addresses.ts'

/** A token with one fault, for trying out the risk checks, and its pool with WETH. */
export type FaultyToken = {
  name: Extract<ContractName, `bad${string}`>
  symbol: string
  title: string
  /** The feed prices the token at one dollar, as does a pool with 3,000 tokens for each WETH. */
  feed: 'TEST/USD' | 'STALE/USD'
  pool: { weth: bigint; tokens: bigint }
  sellTaxBps: number
  sellingBlocked: boolean
  /** Whether the treasury may mint any amount. */
  mintable: boolean
}

const sound = {
  feed: 'TEST/USD',
  pool: { weth: parseEther('20'), tokens: parseEther('60000') },
  sellTaxBps: 0,
  sellingBlocked: false,
  mintable: false,
} as const satisfies Partial<FaultyToken>

/** One token for each fault, without any other fault. The liquidity shares of their pools are burned. */
export const faultyTokens: readonly FaultyToken[] = [
  { ...sound, name: 'badSell', symbol: 'BADSELL', title: 'Test token that cannot be sold', sellingBlocked: true },
  { ...sound, name: 'badTax', symbol: 'BADTAX', title: 'Test token that taxes sales by 25 %', sellTaxBps: 2_500 },
  { ...sound, name: 'badMint', symbol: 'BADMINT', title: 'Test token that its owner may mint', mintable: true },
  {
    ...sound,
    name: 'badThin',
    symbol: 'BADTHIN',
    title: 'Test token with hardly any liquidity',
    pool: { weth: parseEther('0.05'), tokens: parseEther('150') },
  },
  { ...sound, name: 'badFeed', symbol: 'BADFEED', title: 'Test token whose feed is stale', feed: 'STALE/USD' },
  {
    ...sound,
    name: 'badPrice',
    symbol: 'BADPRICE',
    title: 'Test token whose pool is off its feed',
    pool: { weth: parseEther('20'), tokens: parseEther('40000') },
  },
]

/** The WETH of all their pools. */
export const faultyPoolsWeth = faultyTokens.reduce((sum, { pool }) => sum + pool.weth, 0n)

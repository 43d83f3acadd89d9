import { expect, test } from 'vitest'
import { type Chain, type Hex, nativeToken } from '../ports/chains.ts'
import { swapValue } from './swap-value.ts'

const address = (index: number): Hex => `0x${`${index}`.repeat(40)}`
const tokens = {
  WETH: { address: address(1), decimals: 18, usdFeed: 'ETH/USD' },
  USDC: { address: address(2), decimals: 6, usdFeed: 'USDC/USD', pegged: 'USD' },
  DAI: { address: address(3), decimals: 18, usdFeed: null, pegged: 'USD' },
  WBTC: { address: address(4), decimals: 8, usdFeed: 'BTC/USD' },
  LINK: { address: address(5), decimals: 18, usdFeed: 'LINK/USD' },
  RUG: { address: address(6), decimals: 18, usdFeed: null },
} as const
type Symbol = keyof typeof tokens | 'ETH'

/** A chain with these prices in 1e-8 USD; a feed that is not among them has no price. */
function chainWith(prices: Partial<Record<string, number>>): Chain {
  return {
    info: {
      nativeSymbol: 'ETH',
      nativeUsdFeed: 'ETH/USD',
      wrappedNative: tokens.WETH.address,
      tokens: Object.entries(tokens).map(([symbol, token]) => ({ symbol, ...token })),
    },
    price: async (pair: string) => {
      const answer = prices[pair]
      return answer === undefined ? null : { pair, answer: BigInt(Math.round(answer * 1e8)), decimals: 8 }
    },
  } as unknown as Chain
}

const usual = { 'ETH/USD': 2_500, 'USDC/USD': 1.001, 'BTC/USD': 60_000, 'LINK/USD': 15 }
const of = (symbol: Symbol, amount: string) => {
  const { address: token, decimals } = symbol === 'ETH' ? { address: nativeToken, decimals: 18 } : tokens[symbol]
  return { token, amount: BigInt(Math.round(Number(amount) * 1e6)) * 10n ** BigInt(decimals - 6) }
}

test.each([
  // A pegged token measures better than the native currency, and that better than others.
  ['USDC', '250', 'WETH', '0.09', usual, 'token_in', '250.25'],
  ['WETH', '0.1', 'USDC', '240', usual, 'token_out', '240.24'],
  ['DAI', '70', 'ETH', '0.02', usual, 'token_in', '70'],
  ['WBTC', '0.01', 'DAI', '590', usual, 'token_out', '590'],
  ['LINK', '10', 'ETH', '0.05', usual, 'token_out', '125'],
  ['WETH', '0.05', 'WBTC', '0.002', usual, 'token_in', '125'],
  ['RUG', '1000', 'WBTC', '0.002', usual, 'token_out', '120'],
  ['LINK', '8', 'RUG', '5', usual, 'token_in', '120'],
  // Of two equals the one received.
  ['USDC', '100', 'DAI', '99', usual, 'token_out', '99'],
  ['DAI', '100', 'USDC', '99', usual, 'token_out', '99.099'],
  ['WBTC', '0.01', 'LINK', '38', usual, 'token_out', '570'],
  // A pegged token at 2 % of one dollar counts, and one that is further away does not, in either direction.
  ['USDC', '100', 'WETH', '0.04', { ...usual, 'USDC/USD': 0.98 }, 'token_in', '98'],
  ['USDC', '100', 'WETH', '0.04', { ...usual, 'USDC/USD': 0.97999999 }, 'token_out', '100'],
  ['WBTC', '0.01', 'USDC', '590', { ...usual, 'USDC/USD': 1.02 }, 'token_out', '601.8'],
  ['WBTC', '0.01', 'USDC', '590', { ...usual, 'USDC/USD': 1.02000001 }, 'token_in', '600'],
  ['RUG', '1', 'USDC', '590', { ...usual, 'USDC/USD': 0.5 }, 'cost', null],
  // A pegged token whose feed has no price is not worth one dollar by that.
  ['USDC', '100', 'WETH', '0.04', { 'ETH/USD': 2_500 }, 'token_out', '100'],
  // Without the price of the native currency another token measures.
  ['WETH', '0.05', 'WBTC', '0.002', { 'BTC/USD': 60_000 }, 'token_out', '120'],
  ['WETH', '0.05', 'RUG', '3', {}, 'cost', null],
  ['RUG', '3', 'WETH', '0.05', {}, 'cost', null],
  // What is exchanged for nothing is lost.
  ['USDC', '100', 'RUG', '0', usual, 'token_out', '0'],
  ['RUG', '5', 'LINK', '0', {}, 'token_out', '0'],
  ['RUG', '0', 'USDC', '4', usual, 'token_out', '0'],
  // Wrapping exchanges a thing for itself.
  ['ETH', '2', 'WETH', '2', usual, 'cost', null],
  ['WETH', '0.5', 'ETH', '0.5', usual, 'cost', null],
] as const)('%s %s for %s %s', async (sold, amountIn, bought, amountOut, prices, valuedBy, usd) => {
  const value = await swapValue(chainWith(prices), of(sold, amountIn), of(bought, amountOut))
  const valueUsd = usd === null ? {} : { valueUsd: BigInt(Math.round(Number(usd) * 1e6)) * 10n ** 12n }
  expect(value).toEqual({ valuedBy, ...valueUsd })
})

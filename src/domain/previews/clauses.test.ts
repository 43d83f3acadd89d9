import { expect, test } from 'vitest'
import { clausesOf } from './clauses.ts'

test.each([
  ['swap 0.5 ETH to USDC, 1% slippage', ['swap 0.5 ETH to USDC, 1% slippage']],
  ['research ETH, BTC and USDC', ['research ETH, BTC and USDC']],
  [
    'research uniswap, then quote 0.5 WETH to USDC, and check its risk',
    ['research uniswap,', 'quote 0.5 WETH to USDC,', 'check its risk'],
  ],
  ['Research aave. Please swap 1 ETH to USDC?', ['Research aave.', 'swap 1 ETH to USDC?']],
  [
    'what is the tvl of base and then, please, tell me the best pool',
    ['what is the tvl of base', 'tell me the best pool'],
  ],
  ['', []],
])('%s has the requests %j', (text, clauses) => {
  expect(clausesOf(text)).toEqual(clauses)
})

test('joining words within a request stay', () => {
  expect(clausesOf('swap 1 ETH and WBTC and then, to USDC')).toEqual(['swap 1 ETH and WBTC and then, to USDC'])
})

test('a text of very many requests is read as one', () => {
  const text = 'and then, quote '.repeat(5_000)
  expect(clausesOf(text)).toEqual([text])
})

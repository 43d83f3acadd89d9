import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { routeIntent } from './route-intent.ts'
import type { Slots } from './slots.ts'

const vocabulary = {
  symbols: ['WETH', 'USDC', 'WBTC', 'RUG'],
  chains: ['sandbox', 'base', 'ethereum'],
  nativeSymbol: 'ETH',
  wrappedSymbol: 'WETH',
}

const slots = (text: string) => routeIntent(text, vocabulary).slots

describe('intents', () => {
  test.each([
    ['Swap 1.5 ETH for USDC', 'trade'],
    ['please sell all my WBTC', 'trade'],
    ['quote 2 weth to usdc', 'quote'],
    ['how much USDC would I get for half an ETH?', 'quote'],
    ['is it safe to buy RUG?', 'risk_assessment'],
    ['could this token be a honeypot', 'risk_assessment'],
    ['research the TVL of Uniswap on Ethereum', 'research'],
    ['compare yields across protocols', 'research'],
    ['hello there', null],
  ])('%s -> %s', (text, intent) => {
    expect(routeIntent(text, vocabulary).intent).toBe(intent)
  })

  test('names what a trade still needs', () => {
    expect(routeIntent('swap some WETH', vocabulary).missing).toEqual(['amount', 'token_out'])
  })
})

describe('slots', () => {
  test.each<[string, Partial<Slots>]>([
    [
      'swap 1.5 ETH for USDC with 0.5% slippage on base',
      { amount: '1.5', token_in: 'WETH', token_out: 'USDC', slippage_bps: 50, chain: 'base' },
    ],
    ['buy 2 WETH with USDC', { amount: '2', amount_of: 'token_out', token_in: 'USDC', token_out: 'WETH' }],
    ['sell 1,000 usdc for wbtc', { amount: '1000', amount_of: 'token_in', token_in: 'USDC', token_out: 'WBTC' }],
    ['trade 5k USDC into WETH, max 30 bps', { amount: '5000', slippage_bps: 30 }],
    ['how much USDC would I get for half an ETH?', { amount: '0.5', token_in: 'WETH', token_out: 'USDC' }],
    ['TVL on ethereum', { chain: 'ethereum', tokens: [] }],
  ])('%s', (text, expected) => {
    expect(slots(text)).toMatchObject(expected)
  })

  test('an address is a token and is listed', () => {
    const address = `0x${'1'.repeat(40)}`
    expect(slots(`is ${address} risky`)).toMatchObject({ tokens: [address], addresses: [address] })
  })

  test('any text is read without failing, and its keys are always the same', () => {
    const keys = Object.keys(slots(''))
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        expect(Object.keys(slots(text))).toEqual(keys)
      }),
    )
  })

  test('amounts keep every digit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 20n }), fc.integer({ min: 1, max: 99 }), (whole, part) => {
        expect(slots(`swap ${whole}.${part} WETH to USDC`).amount).toBe(`${whole}.${part}`)
      }),
    )
  })
})

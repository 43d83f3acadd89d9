import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { friend, hash, rows, slots } from './fixtures/reading.ts'
import { wordsOf } from './reading/words.ts'

describe('everything else', () => {
  test.each(
    rows(
      ['swap 1 eth with 0.5% slippage', { slippage_bps: 50, amount: '1' }],
      ['make it 1% slippage', { slippage_bps: 100, amount: null }],
      ['with half a percent of slippage', { slippage_bps: 50 }],
      ['slippage of at most 25 basis points', { slippage_bps: 25 }],
      ['max 30 bps', { slippage_bps: 30 }],
      ['slippage 0.125%', { slippage_bps: 12 }],
      ['with -1% slippage', { slippage_bps: -100 }],
      ['with 200% slippage', { slippage_bps: 10_000 }],
      ['slippage: 2', { slippage_bps: 200 }],
      ['at most 1% price impact', { slippage_bps: null }],
      ['tvl of ethereum', { chain: 'ethereum', tokens: [] }],
      ['price of ethereum', { chain: null, tokens: ['ETH'] }],
      ['explain the curve and compound my interest', { protocols: [], chain: null }],
      ['what to base my plan on', { chain: null }],
      ['yields of curve and compound on the base chain', { protocols: ['curve', 'compound'], chain: 'base' }],
      ['compare base and arbitrum', { chain: 'base', chains: ['base', 'arbitrum'] }],
      ['on sandbox via uniswap v2', { chain: 'sandbox', protocols: ['uniswap_v2'] }],
      [`look at ${hash}`, { transactions: [hash], addresses: [], tokens: [] }],
      ['from my savings wallet sell 1 weth', { wallet: 'savings' }],
      ['using wallet trading sell 1 weth', { wallet: 'trading' }],
      ['swap 1 weth to usdc from vault', { wallet: 'vault' }],
      ['swap 1 weth from my Vault to usdc', { wallet: 'Vault', amount: '1', token_in: 'WETH', token_out: 'USDC' }],
      ['get 100 usdc from my weth', { wallet: null }],
      ['swap from weth to usdc', { wallet: null }],
      ['sell 1 weth from my holdings', { wallet: null }],
      ['eth volume from last monday', { wallet: null }],
      ['swap 1 weth from sandbox', { wallet: null }],
    ),
  )('%s', (text, expected) => expect(slots(text)).toMatchObject(expected))

  test.each([
    ['over the last 7 days', '2026-03-07T12:00:00.000Z', null],
    ['in the past week', '2026-03-07T12:00:00.000Z', null],
    ['over 24h', '2026-03-13T12:00:00.000Z', null],
    ['over the past month', '2026-02-14T12:00:00.000Z', null],
    ['since Monday', '2026-03-09T00:00:00.000Z', null],
    ['since 2025-01-31', '2025-01-31T00:00:00.000Z', null],
    ['in 2025', '2025-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ['in March 2025', '2025-03-01T00:00:00.000Z', '2025-04-01T00:00:00.000Z'],
    ['in december', '2025-12-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ['yesterday', '2026-03-13T00:00:00.000Z', '2026-03-14T00:00:00.000Z'],
    ["of yesterday's rally", '2026-03-13T00:00:00.000Z', '2026-03-14T00:00:00.000Z'],
    ["in last week's rally", '2026-03-07T12:00:00.000Z', null],
    ['this week', '2026-03-09T00:00:00.000Z', null],
  ])('eth volume %s', (text, since, until) => {
    expect(slots(`eth volume ${text}`)).toMatchObject({ since, until, amount: null })
  })

  test('a future time is not a period to look back on', () => {
    expect(slots('eth volume in 2031').since).toBeNull()
  })
})

test('any text is read without failing, and its keys are always the same', () => {
  const keys = Object.keys(slots(''))
  const parts = [
    'all',
    'half',
    'of',
    'my',
    '1',
    '1,000',
    '%',
    '$',
    'eth',
    '0x',
    friend,
    'last',
    'since',
    'and',
    'a',
    '/',
    'k',
  ]
  const texts = fc.oneof(
    fc.string({ maxLength: 300, unit: 'binary' }),
    fc.array(fc.constantFrom(...parts), { maxLength: 40 }).map((words) => words.join(' ')),
  )
  fc.assert(
    fc.property(texts, (text) => {
      expect(Object.keys(slots(text))).toEqual(keys)
    }),
  )
})

test('the longest texts are read whole, however they repeat themselves', () => {
  const pieces = [
    '1 ',
    'eth ',
    '$',
    '1 million ',
    'half of ',
    '1,000',
    '9',
    'slippage 1% ',
    'last 7 ',
    '1/2/',
    'e',
    '0x',
    'a ',
  ]
  for (const piece of pieces) {
    const text = piece.repeat(Math.floor(8_000 / piece.length))
    expect(wordsOf(text).length).toBeLessThanOrEqual(text.length)
    expect(slots(text).tokens.length).toBeLessThanOrEqual(2)
  }
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatUnits } from '../../values/money.ts'
import { rows, slots } from '../fixtures/reading.ts'

describe('amounts', () => {
  test.each(
    rows(
      ['swap 1.5 eth', { amount: '1.5', amount_of: 'token_in', amount_currency: 'token_units', share: null }],
      ['swap .5 eth', { amount: '0.5' }],
      ['swap 1,000 usdc', { amount: '1000' }],
      ['swap 1e3 usdc', { amount: '1000' }],
      ['swap 5k usdc', { amount: '5000' }],
      ['swap 1.5m usdc', { amount: '1500000' }],
      ['swap 2 million usdc', { amount: '2000000' }],
      ['swap 100usdc to eth', { amount: '100', token_in: 'USDC', token_out: 'ETH' }],
      ['swap two and a half eth', { amount: '2.5' }],
      ['swap two hundred and fifty usdc', { amount: '250' }],
      ['swap twenty-five usdc', { amount: '25' }],
      ['swap one hundred thousand usdc', { amount: '100000' }],
      ['swap half a million usdc', { amount: '500000' }],
      ['swap three point one four eth', { amount: '3.14' }],
      ['swap half an eth', { amount: '0.5' }],
      ['swap a quarter of an eth', { amount: '0.25' }],
      ['swap three quarters of an eth', { amount: '0.75' }],
      ['swap 1/2 eth', { amount: '0.5' }],
      ['sell a dozen link', { amount: '12', token_in: 'LINK' }],
      ['sell a couple of link', { amount: '2' }],
      ['buy a weth', { amount: '1', amount_of: 'token_out' }],
      ['swap 1 gwei to usdc', { amount: '0.000000001', token_in: 'ETH' }],
      ['quote usdc weth 100', { amount: null, token_in: null, token_out: null }],
      ['cambia 1.500 usdc a weth', { amount: null, token_in: 'USDC', token_out: 'WETH' }],
      ['swap 1.500 usdc to weth', { amount: null }],
      ['verkaufe 1.500,50 usdc für weth', { amount: '1500.5' }],
      ['swap 0.500 weth to usdc', { amount: '0.5' }],
      ['when eth hits 2000 buy 1', { amount: '1' }],
      ['show the top 10 pools for weth', { amount: null }],
      ['trade three wrapped bitcoin for wrapped ether', { amount: '3', token_in: 'WBTC', token_out: 'WETH' }],
      ['unload my wbtc in one go', { amount: null, share: null }],
      ['sell this one', { amount: null }],
      ['keep all my weth in one coin', { amount: null, share: '1/1' }],
      ['sell one weth', { amount: '1' }],
      ['what if weth falls by a third', { amount: null, share: null }],
      ['what if eth crashes by half', { amount: null, share: null }],
      ['which pool yields over 20%', { amount: null, share: null }],
      ['cut my eth by 20%', { share: '1/5' }],
      ['drop half my weth into usdc', { share: '1/2' }],
      ['drop half an eth into usdc', { amount: '0.5', share: null }],
      ['buy wbtc with a third of my usdc', { share: '1/3', amount_of: 'token_in' }],
      ['put 25% into weth from usdc', { share: '1/4', amount_of: 'token_in', token_in: 'USDC' }],
      ['swap 1.5 eth for usdc on chain 84532', { amount: '1.5', chain: '84532' }],
    ),
  )('%s', (text, expected) => expect(slots(text)).toMatchObject(expected))

  test.each(
    rows(
      ['buy $500 worth of eth', { amount: '500', amount_currency: 'usd', token_in: 'USDC', token_out: 'ETH' }],
      ['buy 500 dollars of eth with wbtc', { amount: '500', amount_currency: 'usd', token_in: 'WBTC' }],
      ['sell $200 of eth for usdc', { amount: '200', amount_currency: 'usd', token_in: 'ETH', token_out: 'USDC' }],
      ['buy 500 usdc worth of weth', { amount: '500', amount_currency: 'usd', token_in: 'USDC', token_out: 'WETH' }],
      ['put 1000 dollars into bitcoin', { amount: '1000', amount_currency: 'token_units', token_in: 'USDC' }],
    ),
  )('%s counts dollars', (text, expected) => expect(slots(text)).toMatchObject(expected))

  test.each([
    ['all my weth', '1/1'],
    ['everything', '1/1'],
    ['the rest of my usdc', '1/1'],
    ['half of my weth', '1/2'],
    ['half my weth', '1/2'],
    ['half of it', '1/2'],
    ['a third of my weth', '1/3'],
    ['two thirds of my weth', '2/3'],
    ['a quarter of my weth', '1/4'],
    ['1/3 of my weth', '1/3'],
    ['2/3 of my weth', '2/3'],
    ['2/4 of it', '1/2'],
    ['1/2 my weth', '1/2'],
    ['50% of my weth', '1/2'],
    ['12.5% of my weth', '1/8'],
  ])('sell %s is the share %s', (text, share) => {
    expect(slots(`sell ${text}`)).toMatchObject({ share, amount: null, slippage_bps: null })
  })

  test('keep every digit', () => {
    const digits = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 36n - 1n }), fc.integer({ min: 0, max: 36 }))
    fc.assert(
      fc.property(digits, ([units, scale]) => {
        const text = formatUnits(units, scale)
        expect(slots(`swap ${text} weth to usdc`).amount).toBe(text)
        const [whole = '', fraction] = text.split('.')
        const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
        expect(slots(`swap ${[grouped, fraction].filter(Boolean).join('.')} weth to usdc`).amount).toBe(text)
      }),
    )
  })

  test('a number longer than any amount is none', () => {
    expect(slots(`swap ${'9'.repeat(37)} weth`).amount).toBeNull()
    expect(slots('swap 1e99 weth').amount).toBeNull()
  })
})

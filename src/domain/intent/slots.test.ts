import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatUnits } from '../trading/money.ts'
import { readText, type Slots } from './slots.ts'
import { wordsOf } from './words.ts'

const token = `0x${'c0ffee'.repeat(6)}abcd`
const vocabulary = {
  symbols: new Set(['ETH', 'WETH', 'USDC', 'WBTC', 'RUG']),
  addresses: new Set([token]),
  chains: new Set(['sandbox']),
  defaultChain: 'sandbox',
  nativeSymbol: 'ETH',
  wrappedSymbol: 'WETH',
}
/** A Saturday. */
const now = new Date('2026-03-14T12:00:00Z')
const friend = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const hash = `0x${'8'.repeat(64)}`

const slots = (text: string): Slots => readText(text, vocabulary, now).slots
const rows = (...cases: [string, Partial<Slots>][]) => cases

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
      ['quote usdc weth 100', { amount: '100', amount_of: 'token_in' }],
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

describe('sides', () => {
  test.each([
    ['swap 1 eth for usdc', 'ETH', 'USDC'],
    ['swap usdc->weth 500', 'USDC', 'WETH'],
    ['buy 2 weth with usdc', 'USDC', 'WETH'],
    ['use 500 usdc to buy eth', 'USDC', 'ETH'],
    ['get me 1000 usdc for my eth', 'ETH', 'USDC'],
    ['for 100 usdc get me some link', 'USDC', 'LINK'],
    ['cash out 500 dollars from my weth', 'WETH', 'USDC'],
    ['replace my dai with usdc', 'DAI', 'USDC'],
    ['need 500 usdc out of my eth', 'ETH', 'USDC'],
    ['how much usdc would i get for half an eth?', 'ETH', 'USDC'],
    ['how much is 1 eth in usdc', 'ETH', 'USDC'],
    ['how many link could i buy with 1 eth', 'ETH', 'LINK'],
    ['how much usdc do i need for 0.5 wbtc?', 'USDC', 'WBTC'],
    ['change one ether into dollars', 'ETH', 'USDC'],
    ['buy 1 $PEPE with 20 bucks', 'USDC', 'PEPE'],
    ['wrap 1 eth', 'ETH', 'WETH'],
    ['unwrap 1 weth', 'WETH', 'ETH'],
    ['get me out of weth', 'WETH', null],
    ['get rid of my link', 'LINK', null],
    ['buy bitcoin', null, 'WBTC'],
    [`swap 1 weth to ${friend}`, 'WETH', friend],
    ['set up an order for 3 wbtc using usdc', 'USDC', 'WBTC'],
    ['order 1 weth with dai', 'DAI', 'WETH'],
    ['a sell order for 2 weth', 'WETH', null],
    ["i'll take 500 usdc, pay with weth", 'WETH', 'USDC'],
    ['purchase 2 link, paying in dai', 'DAI', 'LINK'],
    ['2 wbtc funded by my usdc', 'USDC', 'WBTC'],
    ['exchange my dai with weth', 'DAI', 'WETH'],
    ['swap eth with usdc', 'ETH', 'USDC'],
    ['get me the figures for a 3 link to dai trade', 'LINK', 'DAI'],
    ['i want a rate, dai into weth', 'DAI', 'WETH'],
    ['get a price for 2 eth in usdc', 'ETH', 'USDC'],
    ['what could i get: 30 link', 'LINK', null],
    ['i want 40 link sold for dai', 'LINK', 'DAI'],
    ['need my dai converted into weth', 'DAI', 'WETH'],
    ['buy for me 2 weth with usdc', 'USDC', 'WETH'],
    ['buy for my friend 1 link using dai', 'DAI', 'LINK'],
  ])('%s: %s to %s', (text, tokenIn, tokenOut) => {
    expect(slots(text)).toMatchObject({ token_in: tokenIn, token_out: tokenOut })
  })

  test('a pair says both sides, whatever verb is in front of it and whatever stands around it', () => {
    const symbols = fc.uniqueArray(fc.constantFrom('eth', 'weth', 'usdc', 'wbtc', 'dai', 'link'), {
      minLength: 2,
      maxLength: 2,
    })
    const lead = fc.constantFrom(
      '',
      'get me',
      'i want',
      'need a quote,',
      'buy',
      'sell',
      'how much is',
      'give me the rate on',
    )
    const arrow = fc.constantFrom(' to ', ' into ', '->', ' → ', ' to some ')
    fc.assert(
      fc.property(lead, fc.constantFrom('', '2 '), symbols, arrow, (verb, count, [paid = '', wanted = ''], sign) => {
        expect(slots(`${verb} ${count}${paid}${sign}${wanted}`)).toMatchObject({
          ...{ token_in: paid.toUpperCase(), token_out: wanted.toUpperCase() },
        })
      }),
    )
  })

  test('who is paid is no token', () => {
    expect(slots(`send 1 eth to ${friend}`)).toMatchObject({
      ...{ recipient: friend, addresses: [friend], tokens: ['ETH'], token_out: null },
    })
    for (const text of [
      `tip ${friend} 1 eth`,
      `pay 1 eth to my sister at ${friend}`,
      `gift 1 eth for fun to ${friend}`,
    ])
      expect(slots(text)).toMatchObject({ recipient: friend, tokens: ['ETH'] })
    expect(slots(`transfer 1 eth to ${token}`)).toMatchObject({ recipient: null, token_out: token })
    expect(slots(`how much to pay for ${friend}`)).toMatchObject({ recipient: null, tokens: [friend] })
    expect(slots(`is ${friend} risky`)).toMatchObject({ recipient: null, tokens: [friend] })
  })

  test('a symbol that is an everyday word names a token in capitals alone', () => {
    expect(slots('is this coin a rug').tokens).toEqual([])
    expect(slots('is RUG a rug').tokens).toEqual(['RUG'])
    expect(slots('should i open the airdrop link').tokens).toEqual([])
    expect(slots('the LINK chart, or all the link').tokens).toEqual(['LINK'])
  })
})

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

  test('what is still to come is no time to look back on', () => {
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

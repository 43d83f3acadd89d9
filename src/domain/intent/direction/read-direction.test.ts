import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { friend, slots, token } from '../fixtures/reading.ts'

describe('sides', () => {
  test.each([
    ['swap 1 eth for usdc', 'ETH', 'USDC'],
    ['swap usdc->weth 500', 'USDC', 'WETH'],
    ['buy 2 weth with usdc', 'USDC', 'WETH'],
    ['use 500 usdc to buy eth', 'USDC', 'ETH'],
    ['get me 1000 usdc for my eth', 'ETH', 'USDC'],
    ['for 100 usdc get me some link', 'USDC', 'LINK'],
    ['cash out 500 dollars from my weth', null, null],
    ['500 usdc for eth', null, null],
    ['cambia 2 ETH por USDC', 'ETH', 'USDC'],
    ['Wie viel USDC bekomme ich für 2 WETH?', 'WETH', 'USDC'],
    ['usdc <- 1 eth', 'ETH', 'USDC'],
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
    const lead = fc.constantFrom('', 'need a quote,', 'sell', 'how much is', 'give me the rate on')
    const arrow = fc.constantFrom(' to ', ' into ', '->', ' → ', ' to some ')
    fc.assert(
      fc.property(lead, fc.constantFrom('', '2 '), symbols, arrow, (verb, count, [paid = '', wanted = ''], sign) => {
        expect(slots(`${verb} ${count}${paid}${sign}${wanted}`)).toMatchObject({
          token_in: paid.toUpperCase(),
          token_out: wanted.toUpperCase(),
        })
      }),
    )
  })

  test('a recipient is not a token', () => {
    expect(slots(`send 1 eth to ${friend}`)).toMatchObject({
      recipient: friend,
      addresses: [friend],
      tokens: ['ETH'],
      token_out: null,
    })
    for (const text of [
      `tip ${friend} 1 eth`,
      `pay 1 eth to my sister at ${friend}`,
      `gift 1 eth for fun to ${friend}`,
    ])
      expect(slots(text)).toMatchObject({ recipient: friend, tokens: ['ETH'] })
    expect(slots(`transfer 1 eth to ${token}`)).toMatchObject({ recipient: null, token_out: null })
    expect(slots(`how much to pay for ${friend}`)).toMatchObject({ recipient: null, tokens: [friend] })
    expect(slots(`is ${friend} risky`)).toMatchObject({ recipient: null, tokens: [friend] })
  })

  test('a symbol that is an everyday word names a token in capitals only', () => {
    expect(slots('is this coin a rug').tokens).toEqual([])
    expect(slots('is RUG a rug').tokens).toEqual(['RUG'])
    expect(slots('should i open the airdrop link').tokens).toEqual([])
    expect(slots('the LINK chart, or all the link').tokens).toEqual(['LINK'])
  })
})

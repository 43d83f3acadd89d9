import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { vocabulary } from './fixtures/reading.ts'
import { routeIntent } from './route-intent.ts'

const now = new Date('2026-03-14T12:00:00Z')
const route = (text: string) => routeIntent(text, vocabulary, now)

describe('intents', () => {
  test.each([
    ['Swap 1.5 ETH for USDC', 'trade'],
    ['please sell all my WBTC', 'trade'],
    ['ape 2 eth into usdc', 'trade'],
    ['dump my wbtc', 'trade'],
    ['quote 2 weth to usdc', 'quote'],
    ['how much USDC would I get for half an ETH?', 'quote'],
    ['what would 3 eth fetch me', 'quote'],
    ['ETH price', 'quote'],
    ['is it safe to buy RUG?', 'risk_assessment'],
    ['is this coin a rug', 'risk_assessment'],
    ['could this token be a honeypot', 'risk_assessment'],
    ['check the risk first, then buy 1 weth', 'risk_assessment'],
    ['research the TVL of Uniswap on Ethereum', 'research'],
    ['give me the lowdown on uniswap', 'research'],
    ["how's base doing", 'research'],
    ['compare yields across protocols', 'research'],
    ['should I buy ETH?', 'research'],
    ['would it be sensible to trade 3 WETH for USDC', 'research'],
    ['any sense in moving half my weth into wbtc?', 'research'],
    ['do you reckon we should sell 2 wbtc for usdc', 'research'],
    ['could you please trade 3 WETH for USDC', 'trade'],
    ['add or trim weth?', 'research'],
    ['wbtc: hold, buy or sell', 'research'],
    ['would I be foolish to sell 2 weth for usdc', 'risk_assessment'],
    ['thinking of an unaudited vault for my weth', 'risk_assessment'],
    ['how much do I lose if weth falls by a third', 'risk_assessment'],
    ['what does 1 weth cost on arbitrum', 'quote'],
    ['how much is wbtc tonight', 'quote'],
    ["what was behind last week's crash", 'research'],
  ])('%s: %s', (text, intent) => expect(route(text)).toMatchObject({ intent, understood: true }))

  test.each(['hello there', 'tell me a joke', 'mumble mumble', 'thanks!', '...', '日本'])(
    '%s is not understood',
    (text) => {
      expect(route(text)).toMatchObject({ understood: false, missing: [] })
    },
  )

  test('a misspelt word counts as the one that was meant', () => {
    expect(route('reserach the liqudity of uniswap').intent).toBe('research')
    expect(route('swqp 1 weth to usdc').intent).toBe('trade')
  })

  test('names what the intent still needs', () => {
    expect(route('swap some WETH').missing).toEqual(['amount', 'token_out'])
    expect(route('swap half of my WETH').missing).toEqual(['token_out'])
    expect(route('is this token a scam?').missing).toEqual(['token'])
  })

  test.each([
    ['WBTC price', []],
    ['how much does link cost tonight', []],
    ['what is 2 weth worth', []],
    ['quote 2 weth', ['token_out']],
    ['send 1 eth to my brother', ['recipient']],
    [`send 1 eth to 0x${'ab'.repeat(20)}`, []],
    ['bridge my usdc', ['amount', 'chain']],
    ['bridge 5 usdc to arbitrum', []],
    ['stake 2 eth', []],
    ['deposit some usdc', ['amount']],
    ['sell 2 weth', ['token_out']],
    ['is aave safe', []],
    ['is arbitrum secure', []],
  ])('%s needs %j', (text, missing) => {
    expect(route(text)).toMatchObject({ understood: true, missing })
  })

  test('whatever is said, the confidence is a share and the answer is the same again', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        const routed = route(text)
        expect(routed.confidence).toBeGreaterThanOrEqual(0)
        expect(routed.confidence).toBeLessThanOrEqual(1)
        expect(route(text)).toEqual(routed)
      }),
    )
  })
})

import { expect, test } from 'vitest'
import { clockAt } from '../../../../test/clock.ts'
import { vocabulary } from '../../intent/fixtures/reading.ts'
import { createEmbeddedRules } from './embedded-rules.ts'

const rules = createEmbeddedRules(
  vocabulary,
  clockAt(() => new Date(0)),
)

/** The answer of the rules with only the given tools. */
async function answerTo(said: string[], tools: Record<string, object> = {}): Promise<string> {
  const history = said.slice(0, -1).map((content) => ({ role: 'user' as const, content }))
  const offered = Object.entries(tools).map(([name, answer]) => {
    const run = async () => ({ ...answer })
    return [name, { name, operation: name.replace('_', '.'), description: '', inputSchema: {}, run }] as const
  })
  const { signal } = new AbortController()
  const request = {
    history,
    text: said.at(-1) ?? '',
    tools: new Map(offered),
    signal,
    report: () => undefined,
    record: () => undefined,
  }
  return (await Array.fromAsync(rules.reply(request))).join('')
}

test.each([
  'do not sell 1 weth for usdc',
  'Please don’t swap 1 WETH to USDC yet',
  "I don't want to buy 100 usdc of wbtc",
  'never ever convert 1 eth to usdc',
])('"%s" makes no quote', async (text) => {
  expect(await answerTo([text])).toBe('Nothing is quoted. What shall I do instead?')
})

test.each(['I do not care how: sell 1 weth for usdc', 'sell 1 weth for usdc'])('"%s" makes one', async (text) => {
  expect(await answerTo([text])).toMatch(/^Quoting 1 WETH to USDC/)
})

test('what follows a swap that was declined stands by itself', async () => {
  expect(await answerTo(['do not sell 1 weth for usdc', 'swap 2 weth to wbtc'])).toMatch(/^Quoting 2 WETH to WBTC/)
})

test.each([
  ['sell', /^Quoting 500 USDC to ETH/],
  ['I want to sell it', /^Quoting 500 USDC to ETH/],
  ['buy', /^Quoting 500 USD of ETH \(the worth of 500 USDC\) to USDC/],
  ['sell ETH', /^Quoting 500 USD of ETH/],
  ['sell USDC', /^Quoting 500 USDC to ETH/],
  ['hello', /^Hello/],
])('after a question with both readings, %s settles it or is something else', async (answer, said) => {
  const tools = { tools_oraclePrice: { price: '1' } }
  expect(await answerTo(['500 USDC for ETH'], tools)).toBe('Do you want to sell 500 USDC, or to buy 500 USDC?')
  expect(await answerTo(['500 USDC for ETH', answer], tools)).toMatch(said)
})

test.each([
  ...[
    'do not sell',
    'i never sell',
    'nicht verkaufen',
    'no vender',
    'do not sell usdc',
    "don't buy",
    'buy me a coffee',
  ],
  ...['whats the best time to buy', 'sell but only if the price is ok', 'buy 2 eth', 'sell 2 eth', 'sell half'],
  ...['i hate selling', 'should i sell', 'maybe sell'],
])('after a question with both readings, "%s" quotes nothing', async (answer) => {
  expect(await answerTo(['500 usdc for eth', answer], { tools_oraclePrice: { price: '1' } })).not.toMatch(/Quoting/)
})

test.each([
  ...['do not swap it', "don't trade it", 'not the other way', "don't reverse it", 'other way, when eth hits 3000'],
  ...[
    'reverse it tomorrow',
    'the other way, half of it',
    'grab 2',
    'kaufe 2',
    'compra 2',
    'achète 2',
    'i want 500 of it',
  ],
  ...[
    'only if 3000',
    'what about 5%',
    'usdc to weth',
    'from WBTC',
    'at 3000',
    '@ 3000',
    'a 3000',
    'all but 1',
    '0.5 less',
  ],
  ...['2 more'],
])('after a quote of 5 WETH to USDC, "%s" quotes nothing', async (text) => {
  expect(await answerTo(['swap 5 weth to usdc', text])).not.toMatch(/Quoting/)
})

test.each([
  ['swap 5 weth to usdc', 'swap half of it', /^Quoting 2\.5 WETH to USDC/],
  ['swap 5 weth to usdc', 'convert 10% of it', /^Quoting 0\.5 WETH to USDC/],
  ['swap 5 weth to usdc', 'make it 3', /^Quoting 3 WETH to USDC/],
  ['buy 5 weth with usdc', 'make it 3', /^Quoting 3 USD of USDC \(the worth of 3 WETH\) to WETH/],
])('after %s, %s changes the amount that it names', async (first, then, said) => {
  const tools = { tools_oraclePrice: { price: '1' } }
  expect(await answerTo([first, then], tools)).toMatch(said)
})

test('a token by itself asks which side it replaces, and a verb without a token which swap', async () => {
  expect(await answerTo(['quote 1 WETH to USDC', 'what about WBTC?'])).toMatch(/^Do you want WBTC instead of USDC, or/)
  expect(await answerTo(['quote 1 WETH to USDC', 'what about WBTC?', 'to WBTC'])).toMatch(/^Quoting 1 WETH to WBTC/)
  expect(await answerTo(['quote 1 WETH to USDC', 'buy 2 of it'])).toMatch(/^Do you want to sell WETH for USDC, or USDC/)
})

test('a negative number is not an amount, and a range or a dash is not a minus', async () => {
  for (const text of ['swap -1 weth to usdc', 'swap −1 weth to usdc'])
    expect(await answerTo([text])).toMatch(/^How much\?/)
  expect(await answerTo(['swap weth to usdc - 2 weth'])).toMatch(/^Quoting 2 WETH to USDC/)
})

test.each([
  ['0.001', 'That did not work: your wallet holds 0.001 ETH, and 0.002 are kept for gas.'],
  ['0', 'That did not work: your wallet holds no ETH to sell.'],
])('of %s ETH nothing can be sold', async (native_balance, said) => {
  const tools = { tools_walletBalance: { native_symbol: 'ETH', native_balance } }
  expect(await answerTo(['sell all my eth for usdc'], tools)).toBe(said)
})

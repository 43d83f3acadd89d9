import { afterAll, beforeAll, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { type Account, newAccount, protocols, sharedWorld, type World } from '../world.ts'

let world: World
let ada: Account
beforeAll(async () => {
  world = await sharedWorld()
  ada = await newAccount(world.clients.rest)
})
afterAll(async () => await world[Symbol.asyncDispose]())

async function run(text: string, more: object = {}) {
  return await output(world.clients.rest.call('trading.previewRun', { text, ...more }, ada.token))
}

test.each(protocols)('over %s a swap written as a sentence is quoted and its risk assessed', async (protocol) => {
  const request = { text: 'Swap 0.1 ETH for USDC with 1% slippage' }
  const answer = await output(world.clients[protocol].call('trading.previewRun', request, ada.token))
  expect(answer).toMatchObject({ intent: 'trade', team: 'trading_team', quote: { slippage_bps: 100 } })
  expect(answer.risk).toMatchObject({ level: 'low' })
  expect(answer.summary).toMatch(/^0\.1 ETH would yield [\d.]+ USDC on \w+.* The risk is low \(score \d+ of 100\)\.$/)
  expect(answer.summary).toContain(answer.quote.expected_out)
})

test.each([
  'research the TVL of Ethereum, then quote 0.1 WETH to USDC, and check its risk',
  'Research the TVL of Ethereum and quote 0.1 WETH to USDC.',
  'quote 0.1 WETH to USDC, then tell me the TVL of Ethereum',
])('%s: all that is asked for is there', async (text) => {
  const answer = await run(text)
  expect(answer.summary).toMatch(/Ethereum holds [\d.]+ \w+ USD/i)
  expect(answer.summary).toMatch(/0\.1 WETH would yield [\d.]+ USDC/)
  expect(answer).toMatchObject({ quote: { quote_id: expect.any(String) }, risk: { level: 'low' } })
})

test.each([
  ['research ETH and check its risk', { risk: { level: 'low' } }],
  ['Explain WBTC. Is it safe?', { risk: { level: 'low' } }],
  ['explain ETH, then sell 0.5 of it for USDC', { quote: {}, risk: {} }],
  [
    'look up the TVL of Ethereum\nquote 0.1 WETH to USDC',
    { summary: expect.stringMatching(/Ethereum holds/i), quote: {} },
  ],
])('%s: what refers to the research is not lost', async (text, expected) => {
  expect(await run(text)).toMatchObject(expected)
})

test.each([
  ['TVL of sandbox, then quote 0.1 WETH to NOPE', /sandbox holds .*no token called NOPE/i],
  ['research no-such-protocol, then swap half my ETH to USDC', /share refers to what a wallet holds/],
])('%s: beside research it is said what has no preview', async (text, said) => {
  expect((await run(text)).summary).toMatch(said)
})

test('an address with a wrong checksum is refused in a sentence too', async () => {
  const wrong = `0x${ada
    .address('WETH')
    .slice(2)
    .toLowerCase()
    .replace(/[a-f]/, (letter) => letter.toUpperCase())}`
  const refused = { code: 'INVALID_ARGUMENT', message: expect.stringContaining('checksum') }
  const { rest } = world.clients
  for (const text of [`quote 0.1 ${wrong} to USDC`, `is ${wrong} safe?`])
    expect(await rest.call('trading.previewRun', { text }, ada.token)).toMatchObject(refused)
  expect(await rest.call('tools.oraclePrice', { chain: 'sandbox', pair: wrong }, ada.token)).toMatchObject(refused)
  const price = { tool_name: 'token_price', arguments: { token: wrong } }
  expect(await rest.call('tools.invokeTvl', price, ada.token)).toMatchObject(refused)
})

test.each(['swap', 'Trade', 'buy', 'sell!'])('a bare %s is a request to trade', async (text) => {
  const { intent, team, question } = await output(world.clients.rest.call('trading.previewIntent', { text }, ada.token))
  expect({ intent, team, question }).toMatchObject({
    intent: 'trade',
    team: 'trading_team',
    question: expect.stringContaining('How much'),
  })
})

test('the swap that is sent counts, whatever the text says, and thresholds are its own', async () => {
  const evm_input = ada.swap('WETH', 'USDC', '5')
  const answer = await run('swap 5 WBTC for WETH', { evm_input, thresholds: { max_price_impact_bps: 0 } })
  expect(answer.summary).toMatch(/^5 WETH would yield/)
  expect(answer.risk.level).not.toBe('low')
})

test('research is made of what the provider says of the chain that is meant', async () => {
  const answer = await run('what is the tvl of sandbox and which pools pay the best yield')
  expect(answer).toMatchObject({ intent: 'research', team: 'research_team' })
  expect(answer.summary).toMatch(/sandbox holds [\d.]+ \w+ USD/i)
  expect(answer).not.toHaveProperty('quote')
})

test('a question of safety is answered by the risk of the tokens that it names', async () => {
  const answer = await run('is RUG a scam?')
  expect(answer).toMatchObject({ intent: 'risk_assessment', team: 'risk_team', risk: { level: 'high' } })
  expect(answer).not.toHaveProperty('quote')
})

test('a part that fails is reported, and the others are returned', async () => {
  const answer = await run('what is the tvl of sandbox and of aave?')
  expect(answer.summary).toMatch(/sandbox holds .*protocol_get is missing: /i)
  const trapped = await run('is it safe to swap 1 BADSELL to WETH?')
  expect(trapped.summary).toMatch(/There is no quote: .* The risk is high/)
  expect(trapped).not.toHaveProperty('quote')
})

test.each([
  ['is FOOBAR safe?', /no token called FOOBAR. Its known tokens are ETH, .*USDC/],
  ['quote 1 FOOBAR to USDC', /no token called FOOBAR/],
  ['swap 1 WETH to FOOBAR', /no token called FOOBAR/],
  ['sell half of my WETH for USDC', /share refers to what a wallet holds/],
  ['buy 2 WETH with USDC', /Say how much of which token you pay with/],
])('%s: what cannot be made is said', async (text, said) => {
  const answer = await run(text)
  expect(answer.summary).toMatch(said)
  expect(answer).not.toHaveProperty('quote')
})

test('missing values are requested, and wrong ones are refused', async () => {
  expect((await run('swap some WETH')).summary).toMatch(/How much/)
  expect((await run('hello there')).summary).toMatch(/What would you like/)
  const evm_input = { ...ada.swap('WETH', 'USDC', '1'), chain_id: 1 }
  const wrong = await world.clients.rest.call('trading.previewRun', { text: 'swap', evm_input }, ada.token)
  expect(wrong).toMatchObject({ code: 'INVALID_ARGUMENT' })
})

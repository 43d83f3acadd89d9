import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { type Account, fundedAccount, openWorld, type World } from '../world.ts'

/** The answers of the assistant without a language model, over the real chain and providers of the sandbox. */
let world: World
let ada: Account
beforeAll(async () => {
  world = await openWorld()
  ada = await fundedAccount(world.clients.rest)
})
afterAll(async () => await world[Symbol.asyncDispose]())
beforeEach(async () => void (await world.clients.rest.call('chat.clear', {}, ada.token)))

async function say(content: string): Promise<string> {
  const said = { messages: [{ role: 'user', content }] }
  const { messages, model } = await output(world.clients.rest.call('chat.send', said, ada.token))
  expect(model).toBe('embedded-rules')
  return messages[0].content
}

const confirms = /confirm [0-9a-f-]{36}$/

describe('one message', () => {
  test.each([
    ['hi', /^Hello! I am the embedded-rules assistant, not a language model/],
    ['what can you do?', /Try "quote 1 WETH to USDC"/],
    ['thanks a lot', /welcome/],
    ['mumble mumble', /did not understand that. What would you like/],
    ['quote 1 WETH', /which token you want/],
    ['what would 2 WETH get me in USDC?', /2 WETH gives about \d+\.\d+ USDC on uniswap_v\d/],
    ['sell half of my WBTC for USDC', /0\.25 WBTC of your 0\.5 WBTC gives about .* The risk of this trade is low/],
    ['swap all my ETH to USDC', /^Quoting 9\.99\d* ETH of your (9\.99\d*|10) ETH/],
    ['buy $50 of ETH', /50 USD of USDC gives about 0\.01\d+ ETH/],
    ['buy 0.5 WETH with USDC', /1500 USD of USDC \(the worth of 0\.5 WETH\) gives about 0\.49\d+ WETH/],
    ['sell 1 WETH for USDC if it falls to 2000', /I cannot wait for a price or an event.*Nothing is quoted/],
    ['Wie viel USDC bekomme ich für 2 WETH?', /You sell 2 WETH, .*Du verkaufst 2 WETH, du erhältst etwa [\d.]+ USDC/],
    ['vendi mezzo WBTC per USDC', /You sell 0\.5 WBTC, .*Vendi 0\.5 WBTC, ricevi circa [\d.]+ USDC/],
    ['cambia 1.500 USDC a WETH', /^Do you mean 1\.500 or 1500\?/],
    ['500 USDC for ETH', /^Do you want to sell 500 USDC, or to buy 500 USDC\?$/],
    ['no vendas 2 ETH por USDC', /^Nothing is quoted/],
    ['swap 0.1234567 USDC to WETH', /That did not work: has 7 digits after the point, and this token takes at most 6/],
    ['set a stop loss at 2500 for my eth', /^I cannot place stop-loss/],
    ['sell 5 LINK for ETH', /did not work: sandbox has no token of this name/],
    ['is RUG safe?', /The risk of RUG is high .*Flags: .*high_tax/s],
    ['price of bitcoin', /WBTC is 60000 USD by the on-chain feed BTC\/USD/],
    ['how much are 2 eth worth', /2 ETH is 6000 USD: ETH is 3000 USD/],
    ["what's my balance", /Wallet 0x\w{40}: .*25000 USDC.*USD, at block \d+/],
    ['show my positions', /25000 USDC held by trading_team/],
    ['how much have i traded in the last 7 days', /You traded [\d.]+ USD from 20/],
    ['show my last trades', /(You have not traded yet|success)/],
    ['which chains do you support', /sandbox \(84532\): ETH, .*uniswap_v3/],
    ['tvl of sandbox', /Sandbox holds [\d.]+ million USD \(tvlfeed/],
    ['best yields on sandbox', /first of \d pools is .* yielding [\d.]+ % a year/],
    ['tell me about uniswap v3', /Uniswap V3 holds [\d.]+ million USD on Sandbox/],
    ['send 1 eth to 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', /I cannot send/],
  ])('%s', async (text, answer) => expect(await say(text)).toMatch(answer))

  test('a trade is quoted with its risk, and the next step is to confirm it', async () => {
    const answer = await say('swap 1 WETH for USDC with 1% slippage')
    expect(answer).toMatch(/At 100 bps slippage you get at least [\d.]+\. The risk of this trade is low/)
    expect(answer).toMatch(confirms)
  })
})

test('a conversation goes on from what was said', async () => {
  expect(await say('quote 1 WETH')).toMatch(/which token you want/)
  expect(await say('to USDC')).toMatch(/1 WETH gives about [\d.]+ USDC/)
  const two = await say('and for 2 WETH?')
  const brought = /2 WETH gives about ([\d.]+) USDC/.exec(two)?.[1]
  expect(await say('and the other way round?')).toContain(`${brought} USDC gives about`)
  expect(await say('use 500 usdc')).toMatch(/500 USDC gives about [\d.]+ WETH/)
  expect(await say('use half of it')).toMatch(/250 USDC gives about [\d.]+ WETH .*At 50 bps/)
  expect(await say('make it 1% slippage')).toMatch(/250 USDC gives about [\d.]+ WETH .*At 100 bps/)
  expect(await say('and in wbtc?')).toMatch(/250 USDC gives about [\d.]+ WBTC/)
  expect(await say('is it risky?')).toMatch(/The risk of USDC and WBTC is low/)
  expect(await say('what about RUG?')).toMatch(/The risk of RUG is high/)
  expect(await say('why is the risk so high?')).toMatch(/The risk of RUG is high .*Selling it costs a tax/s)
  expect(await say('price of eth')).toMatch(/ETH is 3000 USD/)
  expect(await say('and wbtc?')).toMatch(/WBTC is 60000 USD/)
  expect(await say('what is the tvl of sandbox')).toMatch(/Sandbox holds/)
  expect(await say('what about base?')).toMatch(/Base holds/)
})

test('the question is the last message of the caller, not text in an earlier response', async () => {
  const messages = [
    { role: 'user', content: 'quote 1 WETH to USDC' },
    { role: 'assistant', content: '1 WETH gives about 999999 RUG on uniswap_v2' },
    { role: 'user', content: 'and for 2?' },
  ]
  const answer = await output(world.clients.rest.call('chat.send', { messages }, ada.token))
  expect(answer.messages[0].content).toMatch(/2 WETH gives about [\d.]+ USDC/)
})

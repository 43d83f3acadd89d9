import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { type Account, fundedAccount } from '../accounts.ts'
import { output } from '../clients/client.ts'
import { operatorToken } from '../operator-token.ts'
import { openWorld, type World } from '../world.ts'

/** Questions of one's own money, answered from real trades: a gain, then a loss after the price fell. */
let world: World
let ada: Account
let lost: string
beforeAll(async () => {
  world = await openWorld()
  const { rest } = world.clients
  ada = await fundedAccount(rest)
  const trade = async (from: string, to: string, amount: string, key: string) => {
    const more = { skip_risk: true }
    const { status, execution_id } = await output(
      rest.call('trading.execute', ada.trade(from, to, amount, key, more), ada.token),
    )
    expect(status).toBe('success')
    return execution_id as string
  }
  const price = async (usd: number) => {
    await output(rest.call('operator.setSandboxPrice', { symbol: 'ETH', price_usd: usd }, operatorToken))
    const sale = { input: ada.swap('WETH', 'USDC', '0.001'), wallet_ref: 'default' }
    await until(async () => {
      const quote = await output(rest.call('trading.quote', sale, ada.token))
      return Math.abs(Number(quote.expected_out) / (usd / 1_000) - 1) < 0.01
    }, `the price of ${usd} in the pools`)
  }
  await price(3_100)
  await trade('WETH', 'USDC', '0.5', 'gain')
  await price(2_800)
  lost = await trade('WETH', 'USDC', '0.4', 'loss')
  const limits = { wallet_ref: 'default', max_trade_usd: '5000', max_daily_usd: '10000' }
  await output(rest.call('trading.setWalletPolicy', limits, ada.userToken))
  await output(rest.call('trading.createWallet', { wallet_ref: 'savings' }, ada.token))
  const only = { wallet_ref: 'savings', venues: ['uniswap_v3'] }
  await output(rest.call('trading.setWalletPolicy', only, ada.userToken))
})
afterAll(async () => await world[Symbol.asyncDispose]())

async function say(...said: string[]): Promise<string> {
  const { rest } = world.clients
  await output(rest.call('chat.clear', {}, ada.token))
  let answer = ''
  for (const content of said) {
    const messages = [{ role: 'user', content }]
    answer = (await output(rest.call('chat.send', { messages }, ada.token))).messages[0].content
  }
  return answer
}

test.each([
  ["what's my portfolio worth?", /^Your wallets are worth \d+(\.\d\d)? USD by the feeds, at block \d+: .*USDC \d/],
  ['total value of my wallet in USD', /^Your wallets are worth/],
  [
    'how much USDC do I have in my wallet?',
    /^You hold \d+(\.\d{1,6})? USDC, worth \d+(\.\d\d)? USD by the feeds \(default \d.*, savings \d/,
  ],
  ['Wie viel ist mein Depot wert?', /^Deine Wallets sind nach den Preisfeeds \d+(\.\d\d)? USD wert/],
  ['¿Cuánto USDC tengo?', /^Tienes \d+(\.\d{1,6})? USDC/],
  ['Quanto ho guadagnato oggi?', /^Hai (?:realizzato|perso) \d+(\.\d\d)? USD oggi \(\d{4}-\d\d-\d\d, in UTC\)/],
  [
    'profit today by token',
    /^You (?:realised|lost) [\d.]+ USD today \(20.* in 2 trades\.\nWETH: -?[\d.]+ USD realised in 2 trades, and -?[\d.]+ USD in what you hold of it\./,
  ],
  ['am I up or down on WETH?', /^With WETH you (?:realised|lost)/],
  ['how much gas did I spend today?', /^You spent 0?\.?\d[\d.]* USD on gas today \(20/],
  [
    'show trades today',
    /^You made 2 trades today \(20.*\n20.* UTC: success, Swapped 0\.4 WETH for [\d.]+ USDC\. \([0-9a-f-]{36}\)/,
  ],
  ['how many swaps did I do today?', /^You made 2 trades/],
  ['last trade', /^20.* UTC: success, Swapped 0\.4 WETH.*\n20.* UTC: success, Swapped 0\.5 WETH/],
  [
    'which of my trades was the worst?',
    /^Your worst trade lost [\d.]+ USD: on 20.* you sold 0\.4 WETH at 2\d{3}(\.\d\d)? USD each/,
  ],
  ['meilleur trade ?', /^Ton meilleur échange a rapporté [\d.]+ USD : .* 0\.5 WETH/],
  ['did my last trade go through?', /^Trade [0-9a-f-]{36} of 20.*: success\. Swapped 0\.4 WETH/],
  ['anything pending?', /^Nothing waits/],
  [
    'cancel my last trade',
    /^No trade of yours waits for a yes.* Your last trade, [0-9a-f-]{36}, stays as it is: success\. What was sent/s,
  ],
  [
    'how much can I still trade today?',
    /at most 5000 USD in one trade.*at most 10000 USD in 24 hours, of which you used 2\d{3}(\.\d\d)? USD; 7\d{3}(\.\d\d)? USD are left/s,
  ],
  ['Quem pode operar com o meu dinheiro?', /^Sessões que podem agir por você: 1\./],
  ['how much have I traded this week?', /^You traded 2\d{3}(\.\d\d)? USD from 20/],
])('%s', async (text, answer) => expect(await say(text)).toMatch(answer))

test('the worth of the wallets is that of the tool, wallet by wallet', async () => {
  const addresses = (await output(world.clients.rest.call('trading.listWallets', {}, ada.token))) as {
    address: string
  }[]
  const totals = addresses.map(async ({ address }) => {
    const balance = await output(world.clients.rest.call('tools.walletBalance', { address }, ada.token))
    return Number(balance.total_value_usd)
  })
  const total = (await Promise.all(totals)).reduce((sum, one) => sum + one, 0)
  expect(totals).toHaveLength(2)
  const [, said] = /worth ([\d.]+) USD/.exec(await say('what is my portfolio worth?')) ?? []
  expect(Math.abs(Number(said) / total - 1)).toBeLessThan(0.001)
})

test('profit by token adds up to the realised profit of the books', async () => {
  const answer = await say('my profit by token')
  const parts = [...answer.matchAll(/^\w+: (-?[\d.]+) USD realised/gm)].map(([, profit]) => Number(profit))
  const { realized_pnl_usd: whole } = await output(world.clients.rest.call('metrics.realizedPnl', {}, ada.token))
  expect(parts.length).toBeGreaterThan(0)
  expect(Math.abs(parts.reduce((sum, one) => sum + one, 0) - whole)).toBeLessThan(0.03)
  const both = await say('profit on WETH and USDC')
  expect(both).toMatch(/With WETH you (realised|lost) [\d.]+ USD.*\n.*\nWith USDC you realised 0 USD/)
})

// Each of these was answered with something else once.
test.each([
  ['what is my portfolio worth without USDC', /^I don't know that/],
  ['profit until yesterday', /^I don't know that/],
  ["don't show my trades", /^I don't know that/],
  ['how much is my portfolio worth in ETH?', /^I don't know that/],
  ['what is $500 of ETH worth', /^(?!.*500 ETH)/s],
  ['profit on arbitrum', /^I don't know that: I have no account of the chain arbitrum/],
  ['show my failed trades', /^No trade of yours matches that/],
  ['how much RUG do I have?', /^You hold 0 RUG/],
  ['trades from savings', /^No trade of yours matches that/],
  ['what are my limits for savings?', /^Wallet savings: it may trade only these: venues: uniswap_v3\.\n/],
  ['gas price', /^Gas on sandbox costs [\d.]+ gwei now\./],
  ['what happened to ETH?', /^I don't know that/],
  ['how did ETH change yesterday?', /^(ETH went from .* between 20.* and 20.* 00:00 UTC|The exchange has no price)/],
])('%s is not answered beside the question', async (text, answer) => expect(await say(text)).toMatch(answer))

test('why a trade lost adds up: price, fee and gas are the loss, each in dollars', async () => {
  const answer = await say('why did my last trade lose money?')
  const figures =
    /^Your sale of 0\.4 WETH on 20.* lost ([\d.]+) USD\. Price.*: (-[\d.]+) USD, since .*Fee of the pool: (-[\d.]+) USD\. Gas: (-[\d.]+) USD\. Its id is (.*)\.$/.exec(
      answer,
    )
  const [loss, ...parts] = (figures ?? []).slice(1, 5).map(Number)
  expect(figures?.[5]).toBe(lost)
  expect(Math.abs((loss ?? 0) + parts.reduce((sum, part) => sum + part, 0))).toBeLessThan(0.03)
})

test('a hash is that of a trade', async () => {
  const { tx_hash } = await output(world.clients.rest.call('trading.getExecution', { execution_id: lost }, ada.token))
  expect(await say(`what happened to ${tx_hash}?`)).toMatch(new RegExp(`^Trade ${lost} of`))
  expect(await say(`status of trade ${lost}`)).toMatch(new RegExp(`^Trade ${lost} of`))
  expect(await say(`what happened to 0x${'ab'.repeat(32)}`)).toMatch(/^No trade of yours has the transaction 0xabab/)
})

test.each([
  [['how much USDC do I have?', 'and WETH?'], /^You hold [\d.]+ WETH/],
  [['profit today', 'and yesterday?'], /^You realised 0 USD on 20\d\d-\d\d-\d\d, after/],
  [['profit today', 'and the day before?'], /^You realised 0 USD on 20\d\d-\d\d-\d\d, after/],
  [['how much WETH do I have?', 'and what is the price of that?'], /^WETH is [\d.]+ USD/],
  [['how much USDC do I have in savings?', 'and WETH?'], /\(savings \d+\)/],
  [['profit today', 'WETH to USDC'], /^(?!With)/],
  [['Gewinn heute', 'Ist RUG sicher?'], /^(?!Mit RUG)/],
  [['how much ETH do I have?', 'and what is that worth?'], /^You hold [\d.]+ ETH, worth [\d.]+ USD/],
  [['Was kostet ETH?', 'und WBTC?'], /^WBTC kostet [\d.]+ USD/],
  [['price of ETH', 'and in euros?'], /^I don't know that in EUR.*\nETH is \d/],
  [
    ['what is my portfolio worth', 'and in holidays?'],
    /^I don't know that: you have no wallet called holidays\. Your wallets: default, savings\.$/,
  ],
  [['quote 1000 USDC to WETH', 'make it 2000 instead'], /^Quoting 2000 USDC to WETH/],
])('%s goes on from what was said', async (said, answer) => expect(await say(...said)).toMatch(answer))

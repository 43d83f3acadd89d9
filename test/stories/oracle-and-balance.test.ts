import { formatUnits } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { type Account, fundedAccount, protocols, sharedWorld, type World } from '../world.ts'

let world: World
let account: Account
beforeAll(async () => {
  world = await sharedWorld()
  account = await fundedAccount(world.clients.rest)
})
afterAll(async () => await world[Symbol.asyncDispose]())

const overAll = async (id: 'tools.oraclePrice' | 'tools.walletBalance', input: object) =>
  await Promise.all(protocols.map((protocol) => world.clients[protocol].call(id, input, account.token)))

test.each(['sandbox', 'Sandbox', '84532'])('a feed of the chain %s answers its price, age and round', async (chain) => {
  for (const answer of await overAll('tools.oraclePrice', { chain, pair: 'eth/usd' })) {
    const { output: price } = answer as { output: Record<string, string | number | boolean> }
    expect(price).toMatchObject({
      chain: 'sandbox',
      chain_id: 84_532,
      pair: 'ETH/USD',
      decimals: 8,
      heartbeat_seconds: 3_600,
      stale: false,
      source: 'oraclefeed on sandbox',
    })
    expect(price.price).toMatch(/^[1-9]\d*(\.\d+)?$/)
    expect(price.age_seconds).toBeGreaterThanOrEqual(0)
    expect(BigInt(String(price.round_id))).toBeGreaterThan(0n)
    expect(price).toMatchObject({ answered_in_round: price.round_id, round_started_at: price.updated_at })
  }
})

test.each([
  ['BTC', 'BTC/USD'],
  ['bitcoin/usd', 'BTC/USD'],
  ['ethereum', 'ETH/USD'],
  ['WBTC', 'BTC/USD'],
  ['WETH/USD', 'ETH/USD'],
])('%s is priced by the feed of %s', async (pair, feed) => {
  for (const answer of await overAll('tools.oraclePrice', { chain: 'sandbox', pair }))
    expect(answer).toMatchObject({ ok: true, output: { pair: feed } })
})

test('a pair without a feed and a chain that is not connected are refused with what there is', async () => {
  for (const refusal of await overAll('tools.oraclePrice', { chain: 'sandbox', pair: 'DOGE/USD' }))
    expect(refusal).toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('ETH/USD') })
  for (const refusal of await overAll('tools.oraclePrice', { chain: 'solana', pair: 'SOL/USD' }))
    expect(refusal).toMatchObject({
      code: 'INVALID_ARGUMENT',
      violations: [{ path: 'chain', message: expect.stringContaining('84532 (sandbox)') }],
    })
})

test('the balance of a wallet is what the chain says, with its worth by the feeds', async () => {
  const { rest, trpc } = world.clients
  const feed = await output(rest.call('tools.oraclePrice', { chain: 'sandbox', pair: 'ETH/USD' }, account.token))
  const wei = BigInt(await output(trpc.call('chain.getBalance', { address: account.wallet, block: 'latest' })))
  const answers = await overAll('tools.walletBalance', { address: account.wallet })
  for (const answer of answers) {
    const { output: held } = answer as { output: Balance }
    expect(held).toMatchObject({ address: account.wallet, native_symbol: 'ETH', native_balance: formatUnits(wei, 18) })
    expect(Number(held.native_value_usd)).toBeCloseTo(Number(held.native_balance) * Number(feed.price), 4)
    const usdc = held.tokens.find(({ symbol }) => symbol === 'USDC')!
    expect(usdc).toMatchObject({ address: account.address('USDC'), decimals: 6 })
    expect(Number(usdc.amount)).toBeGreaterThan(0)
    expect(held.tokens.find(({ symbol }) => symbol === 'RUG')).not.toHaveProperty('value_usd')
    const parts = [held.native_value_usd, ...held.tokens.map(({ value_usd = '0' }) => value_usd)]
    expect(wad(held.total_value_usd)).toBe(parts.reduce((sum, part) => sum + wad(part), 0n))
  }
})

type Balance = {
  native_balance: string
  native_value_usd: string
  total_value_usd: string
  tokens: { symbol: string; amount: string; value_usd?: string }[]
}

/** Decimal text in units of 1e-18. */
function wad(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(18, '0'))
}

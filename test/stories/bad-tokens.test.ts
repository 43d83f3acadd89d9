import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { type Account, fundedAccount, newAccount, protocols, sharedWorld, type World } from '../world.ts'

let world: World
let ada: Account
beforeAll(async () => {
  world = await sharedWorld()
  ada = await newAccount(world.clients.rest)
})
afterAll(async () => await world[Symbol.asyncDispose]())

type Check = { name: string; result: string; details: Record<string, unknown> }
type Report = { level: string; flags: string[]; checks: Check[] }

async function assess(from: string, to: string, amount: string, thresholds: object = {}, protocol = protocols[0]!) {
  const client = world.clients[protocol]
  const quote = await output(client.call('trading.quote', { input: ada.swap(from, to, amount) }, ada.token))
  const input = { chain: 'evm', addresses: [], checks: [] }
  return (await output(client.call('trading.assessRisk', { quote, input, thresholds }, ada.token))) as Report
}

/** The token, its risk level, all its flags, the check that finds them, and the evidence. */
const bad = [
  ['BADSELL', 'high', ['cannot_sell'], 'rug', /What was bought could not be sold again.*"can_sell":false/],
  ['BADTAX', 'high', ['high_tax'], 'rug', /Selling it costs a tax of 2\d\d\d basis points.*"sell_tax_bps":2\d\d\d/],
  ['BADMINT', 'high', ['owner_can_mint'], 'rug', /can mint .* at any time.*"owner_mints_now":true/],
  ['BADTHIN', 'high', ['thin_liquidity'], 'price_sanity', /worth about 300 USD.*"liquidity_usd":"300"/],
  ['BADFEED', 'unknown', ['stale_feed'], 'price_sanity', /STALE\/USD is \d{5,6} seconds old.*"heartbeat_seconds":3600/],
  ['BADPRICE', 'high', ['price_deviates'], 'price_sanity', /3333 basis points off.*"deviation_bps":3333/],
] as const

describe('a bad token', () => {
  test('is on the list as one to try the checks on, and no sound one is', async () => {
    const [chain] = await output(world.clients.rest.call('trading.listChains', {}, ada.token))
    const marked = (chain.tokens as { symbol: string; test?: boolean }[]).filter((token) => token.test === true)
    expect(marked.map(({ symbol }) => symbol).sort()).toEqual(['RUG', ...bad.map(([symbol]) => symbol)].sort())
  })

  test.each(bad)('%s is caught, and its fault alone is named', async (symbol, level, flags, check, evidence) => {
    for (const protocol of protocols) {
      const report = await assess('WETH', symbol, '0.0001', {}, protocol)
      expect(report).toMatchObject({ level, flags })
      expect(report.checks.filter(({ result }) => result !== 'pass').map(({ name }) => name)).toEqual([check])
      expect(JSON.stringify(report.checks.find(({ name }) => name === check)?.details)).toMatch(evidence)
    }
  })

  test.each(bad)('%s is not traded for real, and the answer says why', async (symbol, level, [flag]) => {
    const request = ada.trade('WETH', symbol, '0.0001', `buy ${symbol}`)
    const refused = await output(world.clients.rest.call('trading.execute', request, ada.token))
    expect(refused).toMatchObject({ status: 'rejected', risk: { level } })
    expect(refused.message).toContain(flag)
    expect(refused.message).toContain(refused.risk.reasons[0])
    expect(refused.tx_hash).toBeUndefined()
  })
})

test('a token whose feed is stale is held without a worth, and every total says that it leaves it out', async () => {
  const client = world.clients.rest
  const eve = await fundedAccount(client)
  const tvl = () => output(client.call('metrics.tvl', {}, eve.token))
  expect(await tvl()).toMatchObject({ unpriced: [] })
  const request = eve.trade('WETH', 'BADFEED', '0.0001', 'buy a stale one', { skip_risk: true })
  expect(await output(client.call('trading.execute', request, eve.token))).toMatchObject({ status: 'success' })
  const [position] = await output(client.call('metrics.positions', { token_symbol: 'BADFEED' }, eve.token))
  expect(position).toMatchObject({ last_price_usd: null, market_value_usd_decimal: null, unrealized_pnl_usd: null })
  expect(await tvl()).toMatchObject({ unpriced: ['BADFEED'] })
  for (const protocol of protocols) {
    const profit = await output(world.clients[protocol].call('metrics.unrealizedPnl', {}, eve.token))
    expect(profit).toMatchObject({ unpriced: ['BADFEED'] })
  }
  const [{ address }] = await output(client.call('trading.listWallets', {}, eve.token))
  const balance = await output(client.call('tools.walletBalance', { address }, eve.token))
  const held = balance.tokens.find(({ symbol }: { symbol: string }) => symbol === 'BADFEED')
  expect(held).not.toHaveProperty('value_usd')
  expect(balance.unpriced).toEqual(['BADFEED'])
})

test('a preview of a sale explains the transfer tax of the token', async () => {
  const evm_input = ada.swap('RUG', 'WETH', '10')
  const call = world.clients.rest.call('trading.previewRun', { text: 'sell 10 RUG for WETH', evm_input }, ada.token)
  const { summary, quote } = await output(call)
  expect(summary).toContain(`keep ${quote.transfer_tax_bps} bps`)
  expect(quote.transfer_tax_bps).toBeGreaterThan(2_000)
})

test('no sound token raises an alarm, whichever way it is traded', async () => {
  const sound = ['WETH', 'USDC', 'WBTC']
  for (const from of sound) {
    for (const to of sound.filter((symbol) => symbol !== from)) {
      expect(await assess(from, to, from === 'USDC' ? '100' : '0.01')).toMatchObject({ level: 'low', flags: [] })
    }
  }
})

test('every check says at which block, from what source and over which blocks it was made', async () => {
  const { checks } = await assess('WETH', 'USDC', '0.1')
  const received = checks.flatMap(({ details }) => (details.tokens as Check['details'][] | undefined) ?? [details])
  expect(received).toHaveLength(5)
  for (const details of received) {
    expect(details).toMatchObject({ block: expect.any(Number), source: expect.any(String) })
  }
  const flow = checks.find(({ name }) => name === 'whale_flow')?.details.tokens
  expect(flow).toMatchObject([{ from_block: expect.any(Number), to_block: expect.any(Number) }, {}])
})

test('a large sale and a large purchase are named, with their transactions and over a stated range of blocks', async () => {
  const client = world.clients.rest
  const eve = await fundedAccount(client)
  const trade = async (from: string, to: string, amount: string) => {
    const request = eve.trade(from, to, amount, `sell ${from}`, { skip_risk: true })
    return await output(client.call('trading.execute', request, eve.token))
  }
  const bought = await trade('WETH', 'RUG', '1.2')
  const sold = await trade('RUG', 'WETH', bought.amount_out)
  expect(sold, sold.message).toMatchObject({ status: 'success', amount_out: sold.quote.expected_out })
  expect(sold.quote.transfer_tax_bps).toBeGreaterThan(1_000)
  const report = await assess('WETH', 'RUG', '0.0001')
  expect(report.flags).toEqual(expect.arrayContaining(['large_sale', 'large_purchase']))
  const flow = report.checks.find(({ name }) => name === 'whale_flow')
  expect(flow).toMatchObject({
    result: 'fail',
    details: {
      tokens: [
        {},
        {
          sales: 1,
          purchases: 1,
          from_block: expect.any(Number),
          to_block: expect.any(Number),
          largest_sale: { transaction: sold.tx_hash },
          largest_purchase: { transaction: bought.tx_hash },
        },
      ],
    },
  })
})

test('limits of the caller decide, in both directions', async () => {
  const strict = await assess('WETH', 'USDC', '5', { max_price_impact_bps: 1, min_liquidity_usd: 1e9 })
  expect(strict).toMatchObject({
    level: 'high',
    flags: ['price_impact_above_threshold', 'liquidity_below_threshold'],
  })
  expect(await assess('WETH', 'BADTAX', '0.0001', { max_tax_bps: 2_600 })).toMatchObject({
    level: 'medium',
    flags: ['taxed'],
  })
  expect((await assess('WETH', 'BADTAX', '0.0001', { max_tax_bps: 100 })).flags).toEqual(['tax_above_threshold'])
  expect((await assess('WETH', 'BADPRICE', '0.0001', { max_price_deviation_bps: 4_000 })).level).toBe('medium')
  expect((await assess('WETH', 'BADFEED', '0.0001', { max_price_deviation_bps: 4_000 })).flags).toEqual([
    'stale_feed',
    'price_deviation_unknown',
  ])
})

test('limits of the caller hold where the risk checks are left out', async () => {
  const trade = (symbol: string, key: string, thresholds: object) =>
    output(
      world.clients.rest.call(
        'trading.execute',
        { ...ada.trade('WETH', symbol, '0.0001', key), skip_risk: true, thresholds },
        ada.token,
      ),
    )
  const taxed = await trade('BADTAX', 'skipped tax', { max_tax_bps: 100 })
  expect(taxed).toMatchObject({ status: 'rejected', message: expect.stringContaining('tax_above_threshold') })
  const unproven = await trade('BADFEED', 'skipped feed', { max_price_deviation_bps: 100 })
  expect(unproven).toMatchObject({ status: 'rejected', message: expect.stringContaining('price_deviation_unknown') })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { output, type Protocol } from '../clients/client.ts'
import { drawn } from '../sized.ts'
import { type Account, fundedAccount, protocols, sharedWorld, type World } from '../world.ts'

let world: World
let ada: Account

beforeAll(async () => {
  world = await sharedWorld()
  ada = await fundedAccount(world.clients.rest)
  for (const [index, [from, to, amount]] of [
    ['WETH', 'USDC', '0.1'],
    ['USDC', 'WETH', '50'],
    ['WETH', 'USDC', '0.05'],
  ].entries()) {
    const { status } = await output(
      world.clients.rest.call('trading.execute', ada.trade(from!, to!, amount!, `key ${index}`), ada.token),
    )
    expect(status).toBe('success')
  }
})
afterAll(async () => await world[Symbol.asyncDispose]())

const read = async (protocol: Protocol, id: 'listClosedTrades' | 'profitSeries' | 'volumeSeries', input = {}) =>
  await output(world.clients[protocol].call(`metrics.${id}`, input, ada.token))
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

test.each(protocols)('over %s closed trades, series and summaries say the same', async (protocol) => {
  const { items } = await read(protocol, 'listClosedTrades')
  expect(items.map((item: { token_symbol: string }) => item.token_symbol)).toEqual(['WETH', 'USDC', 'WETH'])
  for (const item of items) {
    expect(item).toMatchObject({ kind: 'trade', agent: 'trading_team', wallet_address: ada.wallet })
    const { quantity, entry_price_usd, exit_price_usd, gas_usd, profit_usd, fee_usd } = item
    expect(quantity * (exit_price_usd - entry_price_usd) - gas_usd).toBeCloseTo(profit_usd, 9)
    expect(gas_usd).toBeGreaterThan(0)
    expect(fee_usd).toBeGreaterThan(0)
    expect(item.held_seconds).toBeGreaterThanOrEqual(0)
  }
  const { realized_pnl_usd } = await output(world.clients[protocol].call('metrics.realizedPnl', {}, ada.token))
  expect(sum(items.map((item: { profit_usd: number }) => item.profit_usd))).toBeCloseTo(realized_pnl_usd, 9)
  const { points } = await read(protocol, 'profitSeries', { bucket: 'hour' })
  expect(points).toHaveLength(30)
  expect(points.at(-1).total_realized_pnl_usd).toBe(realized_pnl_usd)
  const { total_volume_usd } = await output(world.clients[protocol].call('metrics.volume', {}, ada.token))
  const volumes = (await read(protocol, 'volumeSeries', { bucket: 'day', agent: 'trading_team' })).points
  expect(volumes.at(-1).volume_usd).toBeCloseTo(total_volume_usd, 9)
})

test.each(protocols)('over %s the profit and the positions say how much of it is gas', async (protocol) => {
  const { items } = await read(protocol, 'listClosedTrades')
  const gas = sum(items.map((item: { gas_usd: number }) => item.gas_usd))
  const total = await output(world.clients[protocol].call('metrics.realizedPnl', {}, ada.token))
  expect(total.gas_usd).toBeCloseTo(gas, 9)
  const positions = await output(world.clients[protocol].call('metrics.positions', {}, ada.token))
  for (const { token_symbol, gas_usd, gas_usd_decimal, realized_pnl_usd } of positions) {
    const native = token_symbol === 'ETH'
    expect({ token_symbol, gas_usd }).toEqual({ token_symbol, gas_usd: native ? total.gas_usd : 0 })
    expect(gas_usd_decimal).toBe(native ? total.gas_usd_decimal : '0')
    // It was never sold, so gas is all that it lost.
    if (native) expect(realized_pnl_usd).toBeCloseTo(-gas_usd, 9)
  }
})

describe('what a trade realises', () => {
  let bo: Account
  const trade = async (from: string, to: string, amount: string) => {
    const made = bo.trade(from, to, amount, crypto.randomUUID())
    const answer = await output(world.clients.rest.call('trading.execute', made, bo.token))
    expect(answer.status, answer.message).toBe('success')
    return answer.amount_out as string
  }
  const newest = async () => {
    const closed = await output(world.clients.rest.call('metrics.listClosedTrades', { limit: 1 }, bo.token))
    return closed.items[0]
  }
  const position = async (token_symbol: string) =>
    (await output(world.clients.rest.call('metrics.positions', { token_symbol }, bo.token)))[0]
  const feed = async (pair: string) =>
    Number((await output(world.clients.rest.call('tools.oraclePrice', { chain: 'sandbox', pair }, bo.token))).price)
  beforeAll(async () => {
    bo = await fundedAccount(world.clients.rest)
  })

  const trips = [
    ['WBTC', '100'],
    ['WBTC', '733.21'],
    ['WETH', '12.5'],
  ] as const

  test.each(drawn(trips, 1))(
    'what a round trip through %s with %s USDC lost is in the trade that closed it',
    async (symbol, spent) => {
      const before = await position(symbol)
      const bought = await trade('USDC', symbol, spent)
      const opened = await newest()
      expect(opened).toMatchObject({ token_symbol: 'USDC', valued_by: 'token_in' })
      const { cost_basis_usd_per_unit, quantity } = await position(symbol)
      const paid = Number(spent) * (await feed('USDC/USD'))
      const costBefore = before === undefined ? 0 : before.quantity * before.cost_basis_usd_per_unit
      expect(quantity * cost_basis_usd_per_unit - costBefore, 'the whole price is in the entry').toBeCloseTo(paid, 6)
      const got = await trade(symbol, 'USDC', bought)
      const closed = await newest()
      expect(closed).toMatchObject({ token_symbol: symbol, valued_by: 'token_out', quantity_decimal: bought })
      const brought = Number(got) * (await feed('USDC/USD'))
      expect(closed.profit_usd + closed.gas_usd).toBeCloseTo(brought - Number(bought) * cost_basis_usd_per_unit, 6)
      expect(closed.fee_usd).toBeGreaterThan(brought * 0.0004)
      expect(closed.fee_usd).toBeLessThan(brought * 0.0035)
    },
  )

  test.each(drawn(['1', '0.4', '0.000000000000000001'], 2))(
    'wrapping %s ETH realises its gas and carries the cost',
    async (amount) => {
      for (const [from, to] of [
        ['ETH', 'WETH'],
        ['WETH', 'ETH'],
      ] as const) {
        const held = await position(from)
        await trade(from, to, amount)
        const closed = await newest()
        expect(closed).toMatchObject({ valued_by: 'cost', quantity_decimal: amount, fee_usd: 0 })
        expect(closed.exit_price_usd_decimal).toBe(closed.entry_price_usd_decimal)
        expect(closed.entry_price_usd, 'exact for a sale of any size').toBeCloseTo(held.cost_basis_usd_per_unit, 9)
        expect(Number(closed.profit_usd_decimal)).toBeCloseTo(-Number(closed.gas_usd_decimal), 15)
      }
    },
  )
})

test.each(protocols)(
  'over %s a range that is too long or reversed is refused with the name of the field',
  async (protocol) => {
    const series = (input: object) => world.clients[protocol].call('metrics.profitSeries', input, ada.token)
    expect(await series({ start: '2020-01-01T00:00:00Z', bucket: 'hour' })).toMatchObject({
      code: 'INVALID_ARGUMENT',
      violations: [{ path: 'start' }],
    })
    expect(await series({ start: '2026-02-01T00:00:00Z', end: '2026-01-01T00:00:00Z' })).toMatchObject({
      violations: [{ path: 'end' }],
    })
    const cursor = crypto.randomUUID()
    const closed = world.clients[protocol].call('metrics.listClosedTrades', { cursor }, ada.token)
    expect(await closed).toMatchObject({ violations: [{ path: 'cursor' }] })
  },
)

test('REST answers with CSV where it is asked for, a page at a time', async () => {
  const get = async (query: string, accept: string) =>
    await fetch(`${world.urls.http}/api/v1/metrics/${query}`, {
      headers: { authorization: `Bearer ${ada.token}`, accept },
    })
  const first = await get('trades/closed?limit=2', 'text/csv')
  expect(first.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
  expect(first.headers.get('vary')).toMatch(/accept/)
  const lines = (await first.text()).split('\r\n')
  expect(lines).toHaveLength(4)
  expect(lines[0]).toMatch(/^kind,execution_id,closed_at,/)
  const next = first.headers.get('x-next-cursor')!
  const last = await get(`trades/closed?limit=2&cursor=${next}`, 'text/csv')
  expect((await last.text()).split('\r\n')).toHaveLength(3)
  expect(last.headers.get('x-next-cursor')).toBeNull()
  for (const series of ['volume/series', 'pnl/series'])
    expect((await (await get(series, 'text/csv, */*')).text()).split('\r\n')).toHaveLength(32)
  expect((await get('volume/series', '*/*')).headers.get('content-type')).toContain('application/json')
  const refused = await get('volume/series?bucket=week', 'text/csv')
  expect([refused.status, refused.headers.get('content-type')]).toEqual([
    422,
    'application/problem+json; charset=utf-8',
  ])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { type Account, newAccount, protocols, sharedWorld, type World } from '../world.ts'

let world: World
let account: Account
beforeAll(async () => {
  world = await sharedWorld()
  account = await newAccount(world.clients.rest)
})
afterAll(async () => await world[Symbol.asyncDispose]())

const symbol = 'ETHUSDC'

/** Every tool with valid arguments, and the least that its result must contain. */
const calls: Record<string, [given: object, has: object]> = {
  markets_list: [
    { quote: 'usdc' },
    { total: 2, markets: expect.arrayContaining([{ symbol, base: 'ETH', quote: 'USDC' }]) },
  ],
  market_get: [{ symbol: 'ethbtc' }, { symbol: 'ETHBTC', base: 'ETH', quote: 'BTC' }],
  price_get: [{ symbol }, { symbol, price: expect.stringMatching(/^\d+\.\d\d$/) }],
  prices_list: [{ symbols: ['ETHUSDC', 'ETHBTC'] }, { prices: [{ symbol: 'ETHBTC' }, { symbol }] }],
  average_price: [{ symbol }, { symbol, minutes: 5, price: expect.any(String) }],
  ticker_get: [{ symbol }, { symbol, trades: expect.any(Number), bid: { price: expect.any(String) } }],
  tickers_list: [{ symbols: [symbol] }, { tickers: [{ symbol, last_price: expect.any(String) }] }],
  book_ticker: [{ symbol }, { bid: {}, ask: {}, spread: expect.stringMatching(/^\d+(\.\d+)?$/) }],
  depth_get: [
    { symbol, limit: 3 },
    { bids: [{}, {}, {}], asks: [{}, {}, {}], update_id: expect.any(Number) },
  ],
  trades_list: [{ symbol, limit: 2 }, { trades: [{ trade_id: expect.any(String) }, { at: expect.any(String) }] }],
  trades_since: [{ symbol, from_id: 2, limit: 2 }, { trades: [{ trade_id: '2' }, { trade_id: '3' }] }],
  klines_list: [
    { symbol, interval: '1s', limit: 2 },
    { interval: '1s', klines: [{ closed: true }, { closed: expect.any(Boolean) }] },
  ],
  server_time: [{}, { time: expect.stringMatching(/^\d{4}-.*Z$/) }],
}

test.each(protocols)('every tool of the exchange answers over %s', async (protocol) => {
  const client = world.clients[protocol]
  const { tools } = await output(client.call('tools.listExchange', {}, account.token))
  const names = tools.map(({ name }: { name: string }) => name)
  expect(names).toEqual(['subscribe', 'unsubscribe', 'stream', ...Object.keys(calls)])
  for (const [tool_name, [given, has]] of Object.entries(calls)) {
    const asked = { tool_name, arguments: given }
    const answer = await output(client.call('tools.invokeExchange', asked, account.token))
    expect(answer).toMatchObject({ tool: tool_name, result: has, source: 'exchange (sandbox)' })
    expect(answer.age_ms).toBeLessThan(60_000)
  }
})

test.each(protocols)('a wrong call of a tool returns the correct form over %s', async (protocol) => {
  const invoke = (tool_name: string, given: object = {}) =>
    world.clients[protocol].call('tools.invokeExchange', { tool_name, arguments: given }, account.token)
  expect(await invoke('klines')).toMatchObject({
    code: 'INVALID_ARGUMENT',
    violations: [{ path: 'tool_name', message: expect.stringContaining('klines_list') }],
  })
  expect(await invoke('subscribe')).toMatchObject({
    code: 'INVALID_ARGUMENT',
    violations: [
      { path: 'tool_name', message: expect.stringContaining('POST /api/v1/multi-agent/exchange/subscribe') },
    ],
  })
  expect(await invoke('depth_get', { limit: 3 })).toMatchObject({
    code: 'INVALID_ARGUMENT',
    violations: [{ path: 'arguments.symbol', message: 'is required; it takes symbol, [limit]' }],
  })
  const candles = { symbol, interval: '1m', limit: 2 }
  const since = async (from: string) => (await output(invoke('klines_list', { ...candles, from }))).result
  expect(await since('2026-01-31T14:00:00+02:00')).toEqual(await since('2026-01-31T12:00:00Z'))
  expect(await since('2026-01-31T12:00:00')).toEqual(await since('2026-01-31T12:00:00Z'))
  expect(await invoke('klines_list', { ...candles, from: '31.01.2026' })).toMatchObject({
    violations: [{ path: 'arguments.from', message: expect.stringContaining('a time such as') }],
  })
  expect(await invoke('price_get', { symbol: 'DOGEUSD' })).toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringContaining('ETHUSDC, BTCUSDC, ETHBTC'),
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { type Account, fundedAccount, protocols, sharedWorld, type World } from '../world.ts'

let world: World
let ada: Account
beforeAll(async () => {
  world = await sharedWorld()
  ada = await fundedAccount(world.clients.rest)
})
afterAll(async () => await world[Symbol.asyncDispose]())

test.each(protocols)('the tools of the TVL provider over %s', async (protocol) => {
  const client = world.clients[protocol]
  const invoke = (tool_name: string, given: object = {}) =>
    client.call('tools.invokeTvl', { tool_name, arguments: given }, ada.token)
  const { tools } = await output(client.call('tools.listTvl', {}, ada.token))
  expect(tools.length).toBeGreaterThanOrEqual(14)
  expect(tools.find(({ name }: { name: string }) => name === 'tvl_get')).toMatchObject({
    input_schema: { type: 'object', required: ['chain'], additionalProperties: false },
  })

  const tvl = await output(invoke('tvl_get', { chain: 'sandbox' }))
  expect(tvl).toMatchObject({ tool: 'tvl_get', result: { chain: 'Sandbox' }, source: 'tvlfeed (sandbox)' })
  expect(tvl.result.tvl_usd).toBeGreaterThan(100_000_000)
  expect(tvl.result).not.toHaveProperty('synthetic')
  expect((await output(invoke('tvl_get', { chain: '84532' }))).result.chain).toBe('Sandbox')
  expect((await output(invoke('tvl_get', { chain: 'ethereum' }))).result).toMatchObject({ synthetic: true })
  expect((await output(invoke('token_price', { token: 'WETH' }))).result).toMatchObject({
    symbol: 'WETH',
    price_usd: 3_000,
  })
  for (const token of ['ETH', 'ethereum', 'ether'])
    expect((await output(invoke('token_price', { token }))).result).toMatchObject({ price_usd_decimal: '3000' })
  for (const token of ['BTC', 'bitcoin'])
    expect((await output(invoke('token_price', { token }))).result).toMatchObject({ price_usd_decimal: '60000' })
  const { prices } = (await output(invoke('token_prices', { tokens: ['WBTC', 'RUG'] }))).result
  expect(prices).toMatchObject([{ price_usd: 60_000 }, { error: 'no price' }])
  const { pools, total } = (await output(invoke('pools_list', { chain: 'sandbox', limit: 2 }))).result
  expect([pools.length, total]).toEqual([2, 6])
  expect(pools[0].tvl_usd).toBeGreaterThan(pools[1].tvl_usd)
  expect((await output(invoke('pool_get', { pool: pools[0].pool }))).result).toMatchObject(pools[0])
  for (const [name, given] of Object.entries(others)) expect(await invoke(name, given)).toMatchObject({ ok: true })

  const metric = await output(client.call('metrics.tvl', { mode: 'tvlfeed', chain: 'sandbox' }, ada.token))
  expect(await client.call('metrics.tvl', { chain: 'sandbox' }, ada.token)).toMatchObject({
    code: 'INVALID_ARGUMENT',
    violations: [{ path: 'chain', message: expect.stringContaining('tvlfeed') }],
  })
  expect(await invoke('token_price', { token: 'RUG' })).toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringMatching(/no price of RUG \(sandbox:0x\w{40}\);/),
  })
  expect(metric).toMatchObject({ source: 'tvlfeed (sandbox)', tvl_usd: Number(metric.tvl_usd_decimal) })
  expect(await output(client.call('metrics.tvl', { mode: 'tvlfeed', chain: 'base' }, ada.token))).toMatchObject({
    source: 'tvlfeed (sandbox), synthetic',
  })
})

/** The tools that are only tested for a result. */
const others = {
  tvl_total: {},
  chains_list: { limit: 3 },
  chain_history: { chain: 'sandbox', days: 5 },
  protocols_list: { chain: 'sandbox', category: 'dexs' },
  protocol_get: { protocol: 'uniswap-v3' },
  protocol_tvl: { protocol: 'uniswap-v2' },
  protocol_history: { protocol: 'uniswap-v3' },
  yields_top: { chain: 'sandbox' },
}

test('figures of all chains together are marked where one is made up, and count the sandbox too', async () => {
  const invoke = async (tool_name: string, given: object = {}) =>
    (await output(world.clients.rest.call('tools.invokeTvl', { tool_name, arguments: given }, ada.token))).result
  const { history, synthetic } = await invoke('total_history', { days: 2 })
  expect([history.length, synthetic]).toEqual([2, true])
  const { chains } = await invoke('chains_list', { limit: 100 })
  const made = chains.filter((chain: { synthetic?: true }) => chain.synthetic)
  const own = history[1].tvl_usd - made.reduce((sum: number, { tvl_usd }: { tvl_usd: number }) => sum + tvl_usd, 0)
  expect(own).toBeGreaterThan(100_000_000)
  const total = await invoke('tvl_total')
  expect(total).toMatchObject({ chains: chains.length, synthetic: true })
  expect(total.tvl_usd_decimal).toMatch(/^\d+(\.\d{1,2})?$/)
})

test('the assistant queries the TVL provider', async () => {
  const { rest } = world.clients
  const say = async (content: string) => {
    const { messages } = await output(rest.call('chat.send', { messages: [{ role: 'user', content }] }, ada.token))
    return messages.at(-1).content
  }
  expect(await say('What is the TVL of the sandbox?')).toMatch(
    /Sandbox holds 1\d\d\.\d\d million USD \(tvlfeed \(sandbox\)\)\./,
  )
  expect(await say('research the total value locked on optimism')).toMatch(/OP Mainnet holds .* by synthetic figures/)
})

test.each(protocols)('a wrong call of a tool returns the correct form over %s', async (protocol) => {
  const invoke = (tool_name: string, given: object = {}) =>
    world.clients[protocol].call('tools.invokeTvl', { tool_name, arguments: given }, ada.token)
  expect(await invoke('tvl')).toMatchObject({
    code: 'INVALID_ARGUMENT',
    violations: [{ path: 'tool_name', message: expect.stringContaining('tvl_get, tvl_total') }],
  })
  expect(await invoke('tvl_get', { chian: 'base' })).toMatchObject({
    code: 'INVALID_ARGUMENT',
    violations: [
      { path: 'arguments.chain', message: 'is required; it takes chain' },
      { path: 'arguments.chian', message: expect.stringContaining('it takes chain') },
    ],
  })
  expect(await invoke('tvl_get', { chain: 'atlantis' })).toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringContaining('it knows Ethereum'),
  })
  expect(await invoke('protocol_get', { protocol: 'atlantis' })).toMatchObject({ code: 'NOT_FOUND' })
})

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { type Account, fundedAccount, openWorld, protocols, type World } from '../world.ts'

let world: World
let ada: Account
let subgraph: string
let tx: string
beforeAll(async () => {
  world = await openWorld()
  const { rest } = world.clients
  ada = await fundedAccount(rest)
  const trade = await output(rest.call('trading.execute', ada.trade('WETH', 'USDC', '1', 'researched'), ada.token))
  tx = trade.tx_hash
  const [chain] = await output(rest.call('trading.listChains', {}, ada.token))
  subgraph = chain.subgraph_url
})
afterAll(async () => await world[Symbol.asyncDispose]())

const gql = `query Pools($least: BigDecimal) {
  pools(first: 2, orderBy: "totalValueLockedUSD", orderDirection: desc, where: { totalValueLockedUSD_gt: $least }) {
    id totalValueLockedUSD token0 { symbol } token1 { symbol }
  }
  swaps(first: 1, orderBy: "timestamp", orderDirection: desc) { transaction { id } amountUSD }
  _meta { block { number timestamp } }
}`

test.each(protocols)('a research of every group over %s', async (protocol) => {
  const research = (input: object) => world.clients[protocol].call('research.preview', input, ada.token)
  const all = await output(
    research({
      subgraph,
      gql,
      variables: { least: '1000' },
      analytics_query_id: 3,
      analytics_params: { limit: 1 },
      defi_calls: [{ tool_name: 'chains_list', arguments: { limit: 1 } }],
      tvl_chain: 'sandbox',
      price_symbol: 'WETH',
      pools_chain: 'sandbox',
      pools_limit: 1,
    }),
  )
  expect(all.graph_data.data.pools).toHaveLength(2)
  expect(all.graph_data.data.swaps).toMatchObject([{ transaction: { id: tx } }])
  expect(all).toMatchObject({
    analytics_state: 'QUERY_STATE_COMPLETED',
    analytics_rows: [{ tx_hash: tx, pair: expect.stringContaining('WETH') }],
    defi_results: [
      { tool: 'chains_list', result: { chains: [{ chain: 'Ethereum', synthetic: true }] } },
      { tool: 'tvl_get', result: { chain: 'Sandbox' }, source: 'tvlfeed (sandbox)' },
      { tool: 'token_price', result: { price_usd: 3_000 } },
      { tool: 'pools_list', result: { total: 6 } },
    ],
  })
  expect(all.parts.map(({ state, source }: { state: string; source: string }) => [state, source])).toEqual([
    ['ok', 'subgraph (sandbox)'],
    ['ok', 'analytics (sandbox)'],
    ...Array.from({ length: 4 }, () => ['ok', 'tvlfeed (sandbox)']),
  ])
  const [{ block_number, block_age_seconds }] = all.parts
  expect(block_number).toBe(all.graph_data.data._meta.block.number)
  expect(block_age_seconds).toBeLessThan(30)
  expect(all.summary).toContain('Sandbox holds 1')
  expect(all.summary).toContain('One WETH costs 3000.00 USD')
  expect(all.summary_inputs_sha256).toBe(digestOf(inputsOf(all)))
})

test.each(protocols)('what fails leaves the rest whole over %s', async (protocol) => {
  const research = (input: object) => world.clients[protocol].call('research.preview', input, ada.token)
  const some = await output(
    research({
      subgraph,
      gql: '{ nothing }',
      analytics_query_id: 2,
      analytics_params: { weeks: 2 },
      defi_calls: [
        { tool_name: 'tvl_get', arguments: { chain: 'atlantis' } },
        { tool_name: 'tvl_get', arguments: { chain: 'sandbox' } },
      ],
    }),
  )
  expect(some).not.toHaveProperty('graph_data')
  expect(some.analytics_rows ?? []).toEqual([]) // gRPC has no absent lists
  expect(some).toMatchObject({
    analytics_state: 'QUERY_STATE_FAILED',
    defi_results: [{ result: { error: { code: 'NOT_FOUND' } } }, { result: { chain: 'Sandbox' } }],
    parts: [
      { part: 'graph_data', state: 'failed', message: expect.stringContaining('Cannot query field') },
      { part: 'analytics_rows', state: 'failed', message: expect.stringContaining('weeks') },
      { part: 'defi_results.0', state: 'failed', code: 'NOT_FOUND' },
      { part: 'defi_results.1', state: 'ok' },
    ],
  })
  expect(some.summary).toContain('graph_data is missing')
  expect(some.summary_inputs_sha256).toBe(digestOf(inputsOf(some)))
})

test.each(protocols)('where everything fails, so does the request, and says why over %s', async (protocol) => {
  const research = (input: object) => world.clients[protocol].call('research.preview', input, ada.token)
  const failing = { analytics_query_id: 2, analytics_params: { weeks: 2 } }
  expect(await research(failing)).toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringMatching(/^analytics_query_id: the query ended as QUERY_STATE_FAILED: .*weeks/),
    violations: [{ path: 'analytics_query_id' }],
  })
  const all = await research({ ...failing, tvl_chain: 'atlantis', subgraph, gql: '{ nothing }' })
  expect(all).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^Every source failed\. graph_data: .* analytics_rows: .* defi_results\.0: /s),
  })
})

test.each([
  ['nothing', {}, ''],
  ['a query without its address', { gql: '{ a }' }, 'subgraph'],
  ['an address without a query', { subgraph: 'https://example.com/' }, 'gql'],
  ['parameters without a query', { analytics_params: { a: 1 } }, 'analytics_query_id'],
  ['a limit without a chain', { pools_limit: 3 }, 'pools_chain'],
  ['an unknown tool', { defi_calls: [{ tool_name: 'x', arguments: {} }] }, 'defi_calls.0.tool_name'],
  [
    'a protocol that is a path',
    { defi_calls: [{ tool_name: 'protocol_get', arguments: { protocol: '..' } }] },
    'defi_calls.0.arguments.protocol',
  ],
  ['a wrong argument', { defi_calls: [{ tool_name: 'tvl_get', arguments: {} }] }, 'defi_calls.0.arguments.chain'],
])('a request with %s is refused', async (_name, input, path) => {
  const refusal = await world.clients.rest.call('research.preview', input, ada.token)
  expect(refusal).toMatchObject({ code: 'INVALID_ARGUMENT', violations: [{ path }] })
  expect(refusal).toMatchObject({ message: expect.stringMatching(/^(The input requests nothing|[a-z_.0-9]+: )/) })
})

test('one source alone fails as itself; nothing on this machine is reached but the exact subgraph', async () => {
  const research = (address: string) =>
    world.clients.rest.call('research.preview', { subgraph: address, gql: '{ _meta { deployment } }' }, ada.token)
  expect(await research(subgraph)).toMatchObject({ ok: true })
  const { port } = new URL(subgraph)
  for (const address of [
    `${subgraph}/`,
    `${subgraph}?x=1`,
    `http://localhost:${port}/subgraph/pools`,
    `https://127.0.0.1:${port}/subgraph/pools`,
    subgraph.replace('/pools', '/../tvl/pools'),
    world.urls.http,
  ])
    expect(await research(address)).toMatchObject({ code: 'INVALID_ARGUMENT', violations: [{ path: 'subgraph' }] })
  expect(await world.clients.rest.call('research.preview', { analytics_query_id: 9 }, ada.token)).toMatchObject({
    code: 'NOT_FOUND',
  })
})

/** The facts of a response's summary, as the contract defines them. */
function inputsOf({ graph_data, analytics_rows, analytics_state, defi_results, parts }: Record<string, unknown>) {
  const received = (parts as Record<string, unknown>[]).map(({ part, state, source, message }) => ({
    part,
    state,
    ...(source === undefined ? {} : { source }),
    ...(message === undefined ? {} : { message }),
  }))
  return Object.fromEntries(
    Object.entries({ graph_data, analytics_rows, analytics_state, defi_results, parts: received }).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  )
}

/** The summary, built from the response as any caller can. */
function digestOf(value: unknown): string {
  const sorted = (part: unknown): unknown =>
    Array.isArray(part)
      ? part.map(sorted)
      : typeof part === 'object' && part !== null
        ? Object.fromEntries(
            Object.entries(part)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([name, field]) => [name, sorted(field)]),
          )
        : part
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex')
}

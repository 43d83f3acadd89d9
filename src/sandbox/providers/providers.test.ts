import { getIntrospectionQuery } from 'graphql'
import { encodeFunctionData, parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bitcoinCodec } from '../../adapters/bitcoin/codec.ts'
import { tokenAbi, v2RouterAbi } from '../deploy/abis.ts'
import { addresses } from '../deploy/addresses.ts'
import { chainId, clientOf, sendAndMine, temporaryDir, testSandbox, treasury } from '../fixtures/testing.ts'
import { openSandboxProviders, type SandboxProviders } from './open.ts'

const resources = new AsyncDisposableStack()
let served: SandboxProviders
let swapHash: string

/** Makes one swap of 2 WETH, and opens the providers. */
beforeAll(async () => {
  const dir = resources.use(await temporaryDir())
  const sandbox = resources.use(await testSandbox(dir.path))
  const { request, deployment, market } = sandbox
  const firstBlock = deployment.first_traded_block ?? 0
  const facts = { request, codec: bitcoinCodec, chainId, firstBlock, prices: market, arbitrageur: market.arbitrageur }
  served = resources.use(
    await openSandboxProviders({
      ...facts,
      controlPath: null,
      marksFile: null,
      failed: (thrown) => console.error(thrown),
    }),
  )
  const { weth, usdc, v2Router } = addresses
  const amount = parseEther('2')
  await sendAndMine(sandbox, treasury, {
    to: weth,
    value: amount,
    data: encodeFunctionData({ abi: tokenAbi, functionName: 'deposit' }),
  })
  const approve = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [v2Router, amount] })
  await sendAndMine(sandbox, treasury, { to: weth, data: approve })
  const args = [amount, 0n, [weth, usdc], treasury.address, 2n ** 40n] as const
  const data = encodeFunctionData({ abi: v2RouterAbi, functionName: 'swapExactTokensForTokens', args })
  const receipt = await sendAndMine(sandbox, treasury, { to: v2Router, data })
  expect(receipt.status).toBe('success')
  swapHash = receipt.transactionHash
  expect(await clientOf(sandbox).getChainId()).toBe(chainId)
})
afterAll(async () => await resources.disposeAsync())

async function get(url: string, body?: object) {
  const response = await fetch(url, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) })
  expect(response.headers.get('x-provider')).toBe('sandbox')
  return { status: response.status, json: JSON.parse(await response.text()) }
}

const query = (text: string, variables = {}) => get(served.subgraph, { query: text, variables })

test('all providers show the same swap', async () => {
  const { json } = await query(
    '{ swaps { transaction { id } amount0 amount1 amountUSD pool { id txCount volumeUSD } } }',
  )
  const [swap] = json.data.swaps
  expect(json.data.swaps).toHaveLength(1)
  expect(swap).toMatchObject({
    transaction: { id: swapHash },
    amountUSD: '6000',
    pool: { txCount: '1', volumeUSD: '6000' },
  })
  expect([Number(swap.amount0), Number(swap.amount1)]).toContain(2)

  const started = await get(`${served.analytics}/v1/query/3/execute`, { query_parameters: { limit: 5 } })
  expect(started.json.state).toBe('QUERY_STATE_PENDING')
  const url = `${served.analytics}/v1/execution/${started.json.execution_id}`
  await expect.poll(async () => (await get(`${url}/status`)).json.state).toBe('QUERY_STATE_COMPLETED')
  const { result } = (await get(`${url}/results`)).json
  expect(result).toMatchObject({ rows: [{ tx_hash: swapHash, value_usd: 6_000 }] })

  const { json: yields } = await get(`${served.tvl}/pools`)
  const pool = yields.data.find(({ pool: id }: { pool: string }) => id === swap.pool.id)
  expect(pool).toMatchObject({ project: 'uniswap-v2', volumeUsd1d: 6_000, synthetic: false })
  expect(pool.apy).toBeGreaterThan(0)
})

test('the TVL of the pools is that on chain, and made-up figures are marked', async () => {
  const { json: chains } = await get(`${served.tvl}/v2/chains`)
  const { json: pools } = await query('{ pools { totalValueLockedUSD } }')
  const total = pools.data.pools.reduce(
    (sum: number, pool: { totalValueLockedUSD: string }) => sum + Number(pool.totalValueLockedUSD),
    0,
  )
  const own = chains.filter(({ synthetic }: { synthetic?: boolean }) => synthetic !== true)
  expect(own).toMatchObject([{ name: 'Sandbox', chainId }])
  expect(own[0].tvl).toBeCloseTo(total, 1)
  const { json: history } = await get(`${served.tvl}/v2/historicalChainTvl/Sandbox`)
  expect(history.at(-1).tvl).toBeCloseTo(total, 1)
})

test('analytics returns rows in pages, and the reason of a failure', async () => {
  const run = async (number: number, parameters: object) => {
    const { json } = await get(`${served.analytics}/v1/query/${number}/execute`, { query_parameters: parameters })
    const url = `${served.analytics}/v1/execution/${json.execution_id}`
    await expect.poll(async () => (await get(`${url}/status`)).json.is_execution_finished).toBe(true)
    return url
  }
  const pages = await run(1, {})
  const first = (await get(`${pages}/results?limit=4`)).json
  expect([first.result.rows.length, first.next_offset]).toEqual([4, 4])
  const rest = (await get(`${pages}/results?limit=4&offset=4`)).json
  expect([rest.result.rows.length, rest.next_offset]).toEqual([2, undefined])
  const failed = await run(2, { days: 9_999 })
  expect((await get(`${failed}/status`)).json).toMatchObject({
    state: 'QUERY_STATE_FAILED',
    error: { message: 'days must be a whole number from 1 to 365' },
  })
})

function aliases(count: number, field: () => string): string {
  return Array.from({ length: count }, (_, index) => `a${index}: ${field()}`).join(' ')
}

test.each([
  ['a syntax error', '{', /Syntax Error/],
  ['an unknown field', '{ wallets { id } }', /Cannot query field/],
  ['rows of many fields', `{ ${aliases(50, () => 'pools(first: 1000) { id symbol: feeTier }')} }`, /40000 values/],
  ['rows as many as a variable says', `query ($n: Int) { ${aliases(50, () => 'pools(first: $n) { id }')} }`, /40000/],
  [
    'a fragment that is spread often',
    `{ ${aliases(20, () => 'pools { ...S }')} } fragment S on Pool { ${aliases(100, () => 'volumeUSD')} }`,
    /40000 values/,
  ],
  [
    'fragments that double',
    `{ pools { ...F0 } } ${Array.from({ length: 20 }, (_, at) => `fragment F${at} on Pool { token0 { id } ${at === 19 ? '' : `...F${at + 1} ... on Pool { ...F${at + 1} }`} }`).join(' ')}`,
    /40000 values/,
  ],
  ['names of types', `{ ${aliases(20, () => 'pools(first: 1000) { __typename a: __typename }')} }`, /40000 values/],
  [
    'descriptions of descriptions',
    `{ __schema { types { fields { type { fields { ...S } } } } } } fragment S on __Field { ${aliases(99, () => 'name')} }`,
    /40000 values/,
  ],
  ['too long a text', `{ ${'a '.repeat(3_000)} }`, /tokens/],
])('the subgraph refuses %s inside a 200', async (_name, text, words) => {
  const { status, json } = await query(text)
  expect([status, json.errors[0].message]).toEqual([200, expect.stringMatching(words)])
})

test('the subgraph supports introspection and a full page', async () => {
  expect((await query(getIntrospectionQuery())).json.data.__schema.queryType).toMatchObject({ name: 'Query' })
  const { json } = await query(
    'query ($n: Int) { pools(first: 1000) { ...P } swaps(first: $n) { id amountUSD pool { ...P } } } fragment P on Pool { id token0 { symbol } token1 { symbol } }',
    { n: 1_000 },
  )
  expect(json.data.swaps).toHaveLength(1)
})

test('the subgraph filters, orders and pages', async () => {
  const { json } = await query(
    'query ($least: BigDecimal) { pools(first: 2, skip: 1, orderBy: "totalValueLockedUSD", orderDirection: desc, where: { totalValueLockedUSD_gt: $least, version: "v3" }) { version totalValueLockedUSD } }',
    { least: '1000000' },
  )
  const values = json.data.pools.map(({ totalValueLockedUSD }: { totalValueLockedUSD: string }) =>
    Number(totalValueLockedUSD),
  )
  expect(values).toHaveLength(2)
  expect(values).toEqual([...values].sort((left, right) => right - left))
})

import { Agent } from 'undici'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { bitcoinCodec } from '../../src/adapters/bitcoin/codec.ts'
import { createMarketData } from '../../src/adapters/exchange/market-data.ts'
import { createAnalytics } from '../../src/adapters/providers/analytics.ts'
import { createBitcoinChain } from '../../src/adapters/providers/esplora.ts'
import { createHttpProvider, type HttpProvider } from '../../src/adapters/providers/http.ts'
import { createSubgraphs } from '../../src/adapters/providers/subgraphs.ts'
import { createTvlFeed } from '../../src/adapters/providers/tvl.ts'
import { chainId, temporaryDir, testSandbox } from '../../src/sandbox/fixtures/testing.ts'
import { openSandboxProviders, type SandboxProviders } from '../../src/sandbox/providers/open.ts'
import { drawn } from '../sized.ts'
import { cases, isSilent, sentOnce } from './fault-cases.ts'

const resources = new AsyncDisposableStack()
let served: SandboxProviders
const closing: (() => Promise<void>)[] = []
const count = { cases: 0 }
/** The requests of the current case, by the path of its fault. */
let counted = { path: '', requests: 0 }

beforeAll(async () => {
  const dir = resources.use(await temporaryDir())
  const sandbox = resources.use(await testSandbox(dir.path))
  const { request, deployment } = sandbox
  const facts = { request, codec: bitcoinCodec, chainId, firstBlock: deployment.first_traded_block ?? 0 }
  served = resources.use(
    await openSandboxProviders({
      ...facts,
      controlPath: null,
      marksFile: null,
      failed: (thrown) => console.error(thrown),
    }),
  )
})
afterAll(async () => {
  await resources.disposeAsync()
  console.log(`${count.cases} of ${every.length} pairs of provider and fault are as they should be`)
})
afterEach(async () => {
  served.faults.clear()
  for (const close of closing.splice(0)) await close()
})

/** A client with shorter timeouts and an empty cache. */
function client(baseUrl: string, attemptMs: number): HttpProvider {
  const times = { attemptMs, deadlineMs: 5 * attemptMs, pauseMs: 5, failures: 100 }
  const dispatcher = new Agent().compose((dispatch) => (asked, handler) => {
    // The newest block of a subgraph has a separate request.
    if (asked.path.startsWith(counted.path) && !String(asked.body).includes('_meta')) counted.requests += 1
    return dispatch(asked, handler)
  })
  const provider = createHttpProvider({ name: 'The provider', urlSetting: 'SOME_URL', baseUrl, times, dispatcher })
  closing.push(provider.close)
  return provider
}

const { signal } = new AbortController()
const tvl = (attemptMs: number) => {
  const one = { provider: client(served.tvl, attemptMs), source: 'tvlfeed' }
  return createTvlFeed({ main: one, prices: one, pools: one })
}
const run = (attemptMs: number) =>
  createAnalytics(client(served.analytics, attemptMs), 'analytics').run(1, {}, { waitMs: 5_000, signal })

type Provider = { name: string; path: string; once?: true; polls?: true; ask(attemptMs: number): Promise<unknown> }

/**
 * `once` marks requests that are never repeated, because they may have been executed; `polls` marks those that poll for
 * a result.
 */
const providers: Provider[] = [
  { name: 'TVL', path: '/tvl/v2/chains', ask: (ms) => tvl(ms).chains(signal) },
  { name: 'TVL protocols', path: '/tvl/protocols', ask: (ms) => tvl(ms).protocols(signal) },
  { name: 'TVL history', path: '/tvl/v2/historicalChainTvl', ask: (ms) => tvl(ms).history('Sandbox', signal) },
  { name: 'prices', path: '/tvl/prices', ask: (ms) => tvl(ms).prices(['sandbox:0x00'], signal) },
  { name: 'pools', path: '/tvl/pools', ask: (ms) => tvl(ms).pools(signal) },
  { name: 'analytics start', path: '/analytics/v1/query', once: true, ask: run },
  { name: 'analytics run', path: '/analytics/v1/execution', polls: true, ask: run },
  {
    name: 'subgraph',
    path: '/subgraph',
    async ask(ms) {
      const own = { address: served.subgraph, provider: client(served.subgraph, ms) }
      const asked = { query: '{ pools { id } }', variables: {} }
      return await createSubgraphs({ own, key: null }).query(served.subgraph, asked, { account: 1, signal })
    },
  },
]

const bitcoin = (attemptMs: number) => createBitcoinChain(client(served.bitcoin, attemptMs), 'bitcoin')
const markets = (attemptMs: number) => createMarketData(client(served.exchange, attemptMs), 'exchange')
const symbol = 'ETHUSDC'

providers.push(
  { name: 'Bitcoin blocks', path: '/bitcoin/blocks/3', ask: (ms) => bitcoin(ms).blocks(3, signal) },
  { name: 'Bitcoin fees', path: '/bitcoin/fee-estimates', ask: (ms) => bitcoin(ms).fees(signal) },
  { name: 'markets', path: '/exchange/api/v3/exchangeInfo', ask: (ms) => markets(ms).markets(signal) },
  { name: 'trades', path: '/exchange/api/v3/aggTrades', ask: (ms) => markets(ms).trades(symbol, null, 5, signal) },
  {
    name: 'candles',
    path: '/exchange/api/v3/klines',
    ask: (ms) => markets(ms).candles({ symbol, interval: '1m' }, null, 5, signal),
  },
  { name: 'the book', path: '/exchange/api/v3/depth', ask: (ms) => markets(ms).depth(symbol, 5, signal) },
  { name: 'tickers', path: '/exchange/api/v3/ticker/24hr', ask: (ms) => markets(ms).tickers([symbol], signal) },
)

const every = providers.flatMap((provider) => cases.map((one) => [provider.name, one.name, provider, one] as const))
const table = drawn(every, 40)

test.each(table)('%s that %s', async (_provider, _fault, { path, once, polls, ask }, one) => {
  served.faults.set({ path, fault: one.fault, ...(one.times === undefined ? {} : { times: one.times }) })
  const { code, attempts } = once ? sentOnce(one) : one
  counted = { path, requests: 0 }
  // Where a later attempt must be in time, a busy machine needs some.
  const asked = ask(!isSilent(one) ? 5_000 : code === null ? 1_500 : 300)
  if (code === null) expect(await asked).toMatchObject({ value: expect.anything() })
  else {
    const failure = await asked.then(null, (error) => error)
    expect([failure.code, failure.message]).toEqual([code, expect.stringMatching(/^The (provider|subgraph) .*$/)])
    expect(`${failure.message} ${failure.cause?.message}`).not.toContain('127.0.0.1')
  }
  if ((polls || isSilent(one)) && code === null) expect(counted.requests).toBeGreaterThanOrEqual(attempts)
  else expect(counted.requests).toBe(attempts)
  count.cases += 1
})

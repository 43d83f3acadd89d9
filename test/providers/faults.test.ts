import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { bitcoinCodec } from '../../src/adapters/bitcoin/codec.ts'
import { createAnalytics } from '../../src/adapters/providers/analytics.ts'
import { createHttpProvider, type HttpProvider } from '../../src/adapters/providers/http.ts'
import { createSubgraphs } from '../../src/adapters/providers/subgraphs.ts'
import { createTvlFeed } from '../../src/adapters/providers/tvl.ts'
import { chainId, temporaryDir, testSandbox } from '../../src/sandbox/fixtures/testing.ts'
import type { Fault } from '../../src/sandbox/providers/faults.ts'
import { openSandboxProviders, type SandboxProviders } from '../../src/sandbox/providers/open.ts'

const resources = new AsyncDisposableStack()
let served: SandboxProviders
const closing: (() => Promise<void>)[] = []
const count = { cases: 0 }

beforeAll(async () => {
  const dir = resources.use(await temporaryDir())
  const sandbox = resources.use(await testSandbox(dir.path))
  const { request, deployment } = sandbox
  const facts = { request, codec: bitcoinCodec, chainId, firstBlock: deployment.first_traded_block ?? 0 }
  served = resources.use(
    await openSandboxProviders({ ...facts, controlPath: null, failed: (thrown) => console.error(thrown) }),
  )
})
afterAll(async () => {
  await resources.disposeAsync()
  console.log(`${providers.length} providers by ${faults.length} faults: ${count.cases} as they should be`)
})
afterEach(async () => {
  served.faults.clear()
  for (const close of closing.splice(0)) await close()
})

/** A client that waits less than it does elsewhere, and knows nothing of the last case. */
function client(baseUrl: string, attemptMs: number): HttpProvider {
  const times = { attemptMs, deadlineMs: 8 * attemptMs, pauseMs: 5, failures: 100 }
  const provider = createHttpProvider({ name: 'The provider', urlSetting: 'SOME_URL', baseUrl, times })
  closing.push(provider.close)
  return provider
}

const { signal } = new AbortController()
const tvl = (attemptMs: number) => {
  const one = client(served.tvl, attemptMs)
  return createTvlFeed({ main: one, prices: one, pools: one }, 'tvlfeed')
}
const run = (attemptMs: number) =>
  createAnalytics(client(served.analytics, attemptMs), 'analytics').run(1, {}, { waitMs: 5_000, signal })

type Provider = { name: string; path: string; once?: true; ask(attemptMs: number): Promise<unknown> }

/** `once` marks what is never sent again, since it is not known whether it was carried out. */
const providers: Provider[] = [
  { name: 'TVL', path: '/tvl/v2/chains', ask: (ms) => tvl(ms).chains(signal) },
  { name: 'TVL protocols', path: '/tvl/protocols', ask: (ms) => tvl(ms).protocols(signal) },
  { name: 'TVL history', path: '/tvl/v2/historicalChainTvl', ask: (ms) => tvl(ms).history('Sandbox', signal) },
  { name: 'prices', path: '/tvl/prices', ask: (ms) => tvl(ms).prices(['sandbox:0x00'], signal) },
  { name: 'pools', path: '/tvl/pools', ask: (ms) => tvl(ms).pools(signal) },
  { name: 'analytics start', path: '/analytics/v1/query', once: true, ask: run },
  { name: 'analytics run', path: '/analytics/v1/execution', ask: run },
  {
    name: 'subgraph',
    path: '/subgraph',
    async ask(ms) {
      const own = { address: served.subgraph, provider: client(served.subgraph, ms) }
      const asked = { query: '{ pools { id } }', variables: {} }
      return await createSubgraphs({ own, key: null }).query(served.subgraph, asked, signal)
    },
  },
]

type Case = { name: string; fault: Fault; times?: number; code: string | null }

const faults: Case[] = [
  { name: 'an answer that comes late', fault: { type: 'latency', ms: 50 }, code: null },
  { name: 'one answer that comes too late', fault: { type: 'latency', ms: 900 }, times: 1, code: null },
  { name: 'one silence', fault: { type: 'stall' }, times: 1, code: null },
  { name: 'silence', fault: { type: 'stall' }, code: 'DEADLINE_EXCEEDED' },
  { name: 'one answer that stops midway', fault: { type: 'stall_midway' }, times: 1, code: null },
  { name: 'answers that stop midway', fault: { type: 'stall_midway' }, code: 'DEADLINE_EXCEEDED' },
  { name: 'one reset', fault: { type: 'reset' }, times: 1, code: null },
  { name: 'resets', fault: { type: 'reset' }, code: 'UNAVAILABLE' },
  { name: 'one cut answer', fault: { type: 'truncate' }, times: 1, code: null },
  { name: 'cut answers', fault: { type: 'truncate' }, code: 'UNAVAILABLE' },
  { name: 'one 500', fault: { type: 'status', status: 500 }, times: 1, code: null },
  { name: '500', fault: { type: 'status', status: 500 }, code: 'UNAVAILABLE' },
  { name: 'two 503', fault: { type: 'status', status: 503 }, times: 2, code: null },
  { name: 'one 429', fault: { type: 'status', status: 429, retry_after: 0 }, times: 1, code: null },
  { name: '429 for a minute', fault: { type: 'status', status: 429, retry_after: 60 }, code: 'UNAVAILABLE' },
  { name: '401', fault: { type: 'status', status: 401 }, code: 'UNAVAILABLE' },
  { name: '404', fault: { type: 'status', status: 404 }, code: 'NOT_FOUND' },
  { name: 'a redirect', fault: { type: 'status', status: 302 }, code: 'UNAVAILABLE' },
  { name: 'JSON of another shape', fault: { type: 'wrong_json' }, code: 'UNAVAILABLE' },
  { name: 'one page that is no JSON', fault: { type: 'garbage' }, times: 1, code: null },
  { name: 'no JSON', fault: { type: 'garbage' }, code: 'UNAVAILABLE' },
  { name: 'more than is taken', fault: { type: 'flood' }, code: 'UNAVAILABLE' },
]

const table = providers.flatMap((provider) =>
  faults.map((fault) => [provider.name, fault.name, provider, fault] as const),
)

test.each(table)('%s under %s', async (_provider, _fault, { path, once, ask }, { fault, times, code }) => {
  served.faults.set({ path, fault, ...(times === undefined ? {} : { times }) })
  const isSilent = fault.type.startsWith('stall') || (fault.type === 'latency' && times === 1)
  const asked = ask(isSilent ? 300 : 5_000)
  const passes = code === null && !(once && times !== undefined && !isLimit(fault))
  if (passes) expect(await asked).toMatchObject({ value: expect.anything() })
  else {
    const failure = await asked.then(null, (error) => error)
    const expected = code ?? (isSilent ? 'DEADLINE_EXCEEDED' : 'UNAVAILABLE')
    expect([failure.code, failure.message]).toEqual([expected, expect.stringMatching(/^The (provider|subgraph) .*\.$/)])
    expect(`${failure.message} ${failure.cause?.message}`).not.toContain('127.0.0.1')
  }
  count.cases += 1
})

/** 429 says that nothing was done, so that anything may be sent again after it. */
function isLimit(fault: Fault): boolean {
  return fault.type === 'status' && fault.status === 429
}

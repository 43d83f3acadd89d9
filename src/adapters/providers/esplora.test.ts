import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createRegtestChain } from '../../sandbox/bitcoin/chain.ts'
import { type ProviderServer, serveProviders } from '../../sandbox/provider-server/server.ts'
import { esploraService } from '../../sandbox/providers/esplora-service.ts'
import { bitcoinCodec } from '../bitcoin/codec.ts'
import { createBitcoinChain } from './esplora.ts'
import { createHttpProvider, type HttpProvider } from './http.ts'

let server: ProviderServer
let now = 1_790_003_000
const open: HttpProvider[] = []
beforeAll(async () => {
  const chain = createRegtestChain({ start: 1_790_000_000, seconds: 30 })
  server = await serveProviders([esploraService(chain, bitcoinCodec, () => now)], {
    controlPath: null,
    failed: () => undefined,
  })
})
afterEach(async () => {
  server.faults.clear()
  await Promise.all(open.splice(0).map((provider) => provider.close()))
})
afterAll(async () => await server[Symbol.asyncDispose]())

function client() {
  const naming = { name: 'The Bitcoin provider', urlSetting: 'BITCOIN_URL', baseUrl: `${server.url}/bitcoin` }
  const times = { deadlineMs: 1_500, attemptMs: 300, pauseMs: 1, retries: 1 }
  const provider = createHttpProvider({ ...naming, times })
  open.push(provider)
  return createBitcoinChain(provider, 'bitcoin (test)')
}

const signal = AbortSignal.timeout(60_000)

test('the newest block grows with the time and names the one before', async () => {
  const first = await client().latestBlock(signal)
  expect(first).toMatchObject({ source: 'bitcoin (test)', value: { height: 100, transactions: 1, bits: 0x207fffff } })
  now += 30
  const second = await client().latestBlock(signal)
  expect(second.value).toMatchObject({ height: 101, previousHash: first.value.hash, transactions: 2 })
})

test('fees come in the order of their blocks', async () => {
  const { value } = await client().fees(signal)
  expect(value.map(({ blocks }) => blocks)).toEqual([1, 2, 3, 6, 144, 1008])
})

test.each([
  [{ type: 'reset' }, 'UNAVAILABLE'],
  [{ type: 'truncate' }, 'UNAVAILABLE'],
  [{ type: 'stall' }, 'DEADLINE_EXCEEDED'],
  [{ type: 'wrong_json' }, 'UNAVAILABLE'],
  [{ type: 'garbage' }, 'UNAVAILABLE'],
  [{ type: 'status', status: 500 }, 'UNAVAILABLE'],
  [{ type: 'status', status: 429, retry_after: 7 }, 'UNAVAILABLE'],
] as const)('where the provider answers with %o the error is %s', async (fault, code) => {
  server.faults.set({ path: '/bitcoin', fault })
  await expect(client().latestBlock(signal)).rejects.toMatchObject({ code })
})

test('a passing fault is passed by', async () => {
  server.faults.set({ path: '/bitcoin', times: 1, fault: { type: 'reset' } })
  expect((await client().latestBlock(signal)).value.height).toBe(101)
})

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHttpProvider, type HttpProvider } from './http.ts'
import { createTvlFeed } from './tvl.ts'

/** The provider's response to every request. */
let body: unknown
const resources = new AsyncDisposableStack()
let provider: () => HttpProvider
beforeAll(async () => {
  const server = createServer((_request, response) => response.end(JSON.stringify(body)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  resources.defer(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  provider = () => {
    const made = createHttpProvider({ name: 'The TVL provider', urlSetting: 'TVL_URL', baseUrl })
    resources.defer(made.close)
    return made
  }
})
afterAll(async () => await resources.disposeAsync())

const { signal } = new AbortController()
/** The cache is new for each test. */
const feed = () => {
  const one = provider()
  const place = (source: string) => ({ provider: one, source })
  return createTvlFeed({ main: place('main'), prices: place('prices'), pools: place('pools') })
}
const day = { date: new Date('2026-03-14T00:00:00Z'), usd: 5 }
const seconds = day.date.getTime() / 1_000

test.each([1e13, -1, null, '', 'soon', '1e9', []])('a time of %j is not in the format', async (timestamp) => {
  body = { coins: { 'a:0x1': { symbol: 'A', price: 1, timestamp } } }
  await expect(feed().prices(['a:0x1'], signal)).rejects.toMatchObject({ code: 'UNAVAILABLE', message: /its format/ })
  body = [{ date: timestamp, tvl: 1 }]
  await expect(feed().history(null, signal)).rejects.toMatchObject({ code: 'UNAVAILABLE', message: /its format/ })
  body = { name: 'A', tvl: [{ date: timestamp, totalLiquidityUSD: 1 }] }
  await expect(feed().protocol('a', signal)).rejects.toMatchObject({ code: 'UNAVAILABLE', message: /its format/ })
})

test.each([seconds, String(seconds)])('a time of %j is a day', async (date) => {
  body = [{ date, tvl: 5 }]
  expect((await feed().history(null, signal)).value).toEqual([day])
})

test('a row without a figure is left out, and is not worth 0 dollars', async () => {
  const lacking = [null, 'much', {}]
  body = [{ name: 'A', tvl: 5 }, ...lacking.map((tvl) => ({ name: 'B', tvl })), { name: 'C' }]
  expect((await feed().chains(signal)).value).toMatchObject([{ name: 'A', tvlUsd: 5 }])
  body = [{ slug: 'a', name: 'A', tvl: 5 }, ...lacking.map((tvl) => ({ slug: 'b', name: 'B', tvl }))]
  expect((await feed().protocols(signal)).value).toMatchObject([{ slug: 'a', tvlUsd: 5 }])
  body = [{ date: seconds, tvl: 5 }, ...lacking.map((tvl) => ({ date: seconds, tvl }))]
  expect((await feed().history(null, signal)).value).toEqual([day])
  body = {
    name: 'A',
    currentChainTvls: { ethereum: 5, base: null },
    tvl: [
      { date: seconds, totalLiquidityUSD: 5 },
      ...lacking.map((usd) => ({ date: seconds, totalLiquidityUSD: usd })),
    ],
  }
  expect((await feed().protocol('a', signal)).value).toMatchObject({ tvlUsdByChain: { ethereum: 5 }, history: [day] })
  body = { coins: { 'a:0x1': { price: 5, timestamp: seconds }, 'a:0x2': { price: null, timestamp: seconds } } }
  expect((await feed().prices([], signal)).value).toMatchObject([{ key: 'a:0x1', priceUsd: 5, at: day.date }])
  const pool = { chain: 'A', project: 'p', symbol: 'S', apy: null }
  body = { data: [{ ...pool, pool: 'x', tvlUsd: 5 }, ...lacking.map((tvlUsd) => ({ ...pool, pool: 'y', tvlUsd }))] }
  expect((await feed().pools(signal)).value).toMatchObject([{ id: 'x', tvlUsd: 5, apy: null, volumeUsd1d: null }])
})

test('an answer names the address that it came from', async () => {
  body = []
  expect((await feed().chains(signal)).source).toBe('main')
  body = { coins: {} }
  expect((await feed().prices([], signal)).source).toBe('prices')
  body = { data: [] }
  expect((await feed().pools(signal)).source).toBe('pools')
})

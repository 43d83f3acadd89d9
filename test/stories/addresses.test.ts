import { afterAll, beforeAll, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { newAccount, openWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ HOST: '0.0.0.0', RATE_LIMITS: 'on', RATE_RULES: 'node=40/60' })
})
afterAll(async () => await world[Symbol.asyncDispose]())

test('behind a wildcard and free ports, every address given out can be called', async () => {
  const { token } = await newAccount(world.clients.grpc)
  const [chain] = await output(world.clients.rest.call('trading.listChains', {}, token))
  expect(chain.explorer_url).toBe(`${world.urls.http}/explorer`)
  expect(world.urls.http).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
  expect((await fetch(chain.explorer_url)).status).toBe(200)
})

test('pages of the explorer count against the same rate as the calls of the node, each as ten', async () => {
  const page = () => fetch(`${world.urls.http}/explorer`)
  const call = () =>
    fetch(world.urls.rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }),
    })
  // The test before has used one page and a few calls.
  const pages = [await page(), await page(), await page()]
  expect(pages.map(({ status }) => status)).toEqual([200, 200, 200])
  for (const refused of [await page(), await call()]) {
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  }
})

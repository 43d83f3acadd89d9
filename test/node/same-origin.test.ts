import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** What the node answers to a body at /rpc, and what it answers to the same at its own port. */
async function both(body: string, headers: Record<string, string> = {}) {
  const answers = [`${world.urls.http}/rpc`, world.urls.rpc].map(async (url) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
    return {
      status: response.status,
      type: response.headers.get('content-type')?.split(';')[0],
      text: await response.text(),
    }
  })
  const [same, own] = await Promise.all(answers)
  return { same, own }
}

const ask = (method: string, id: number) => ({ jsonrpc: '2.0', id, method, params: [] })

test('the methods of the node are served to pages of the gateway as at its own port', async () => {
  for (const body of [
    JSON.stringify(ask('eth_chainId', 1)),
    JSON.stringify([ask('eth_chainId', 1), ask('engine_secret', 2)]),
    JSON.stringify(ask('eth_subscribe', 3)),
    '{"jsonrpc":',
    '',
    `"${'x'.repeat(2 ** 20)}"`,
  ]) {
    const { same, own } = await both(body)
    const withoutIds = (text = '') => text.replaceAll(/"request_id":"[^"]+"/g, '')
    expect({ ...same, text: withoutIds(same?.text) }, body.slice(0, 80)).toEqual({
      ...own,
      text: withoutIds(own?.text),
    })
  }
})

test('a page of another origin may not call them, and an unknown key is refused', async () => {
  const body = JSON.stringify(ask('eth_chainId', 1))
  expect((await both(body, { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' })).same?.status).toBe(
    403,
  )
  expect((await both(body, { 'x-api-key': 'an-unknown-key' })).same?.status).toBe(401)
})

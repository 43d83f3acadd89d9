import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Refusal } from '../clients/client.ts'
import { refusalOf } from '../clients/client.ts'
import { newAccount, openWorld, protocols, type World } from '../world.ts'

const limit = 6
let world: World
beforeAll(async () => {
  world = await openWorld({ RATE_LIMITS: 'on', RATE_RULES: `default=${limit}/60,node=3/60,chat=1/60` })
})
afterAll(async () => await world[Symbol.asyncDispose]())

test.each(protocols)(
  'over %s the limit is counted down, refused with its wait, and holds everywhere',
  async (protocol) => {
    const client = world.clients[protocol]
    const { token } = await newAccount(client) // takes three of the six
    for (let left = limit - 4; left >= 0; left -= 1) {
      const counted = { 'x-ratelimit-limit': `${limit}`, 'x-ratelimit-remaining': `${left}` }
      expect(await client.call('metrics.volume', {}, token)).toMatchObject({ ok: true, headers: counted })
    }
    for (const every of Object.values(world.clients)) {
      const refusal = (await every.call('metrics.volume', {}, token)) as Refusal
      expect(refusal).toMatchObject({ ok: false, code: 'RATE_LIMITED', status: every.protocol === 'grpc' ? 8 : 429 })
      expect(refusal.retryAfterSeconds).toBeGreaterThan(0)
      expect(refusal.retryAfterSeconds).toBeLessThanOrEqual(60)
      expect(refusal.headers).toMatchObject({
        'retry-after': `${refusal.retryAfterSeconds}`,
        'x-ratelimit-limit': `${limit}`,
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': expect.stringMatching(/^\d{10}$/),
      })
    }
    // Streams are refused before their first byte; other classes are counted separately.
    const watch = { execution_id: crypto.randomUUID() }
    expect(await refusalOf(client.stream('trading.watchExecution', watch, token))).toMatchObject({
      code: 'RATE_LIMITED',
    })
    const hello = { messages: [{ role: 'user', content: 'hello' }] }
    expect(await client.call('chat.send', hello, token)).toMatchObject({ ok: true })
    expect(await refusalOf(client.stream('chat.stream', hello, token))).toMatchObject({ code: 'RATE_LIMITED' })
  },
)

test('JSON-RPC answers 429 with -32005 and the wait', async () => {
  const ask = () =>
    fetch(world.urls.rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }),
    })
  for (const _ of [1, 2, 3]) expect((await ask()).status).toBe(200)
  const refused = await ask()
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toMatchObject({ error: { code: -32005, data: { limit: 3 } } })
})

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { startRedis, withoutRedis } from '../../../test/redis.ts'
import { neverAborts } from '../../kit/values.ts'
import { openRedis } from '../redis/connection.ts'
import { createHttpProvider } from './http.ts'
import { createSharedAnswers } from './shared-answers.ts'

const schema = z.object({ a: z.number() })

/** Two processes' clients of one provider, which share a Redis. */
async function openPair(status: () => number) {
  await using opened = new AsyncDisposableStack()
  const redis = opened.use(await startRedis())
  let requests = 0
  const server = createServer((_, response) => {
    requests += 1
    response.writeHead(status(), { 'content-type': 'application/json' }).end('{"a":1}')
  }).listen(0, '127.0.0.1')
  opened.defer(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const connect = async () => opened.use(await openRedis(redis.url, () => undefined, 10_000))
  const client = async () => {
    const shared = createSharedAnswers(await connect())
    const provider = createHttpProvider({ name: 'The provider', urlSetting: 'TVL_URL', baseUrl, shared })
    opened.defer(async () => await provider.close())
    return async () => await provider.request({ path: '/a', schema, cacheMs: 60_000, signal: neverAborts })
  }
  const [one, other, third] = [await client(), await client(), await client()]
  const connection = await connect()
  const resources = opened.move()
  return {
    one,
    other,
    third,
    connection,
    requests: () => requests,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

test.skipIf(withoutRedis)('an answer that one process has reaches the others with its age, and expires', async () => {
  await using pair = await openPair(() => 200)
  expect(await pair.one()).toMatchObject({ value: { a: 1 }, ageMs: 0 })
  await expect.poll(async () => (await keys(pair.connection)).length).toBe(1)
  expect(await pair.other()).toMatchObject({ value: { a: 1 }, latencyMs: 0 })
  expect(pair.requests()).toBe(1)
  const [key = ''] = await keys(pair.connection)
  expect(key).not.toContain('127.0.0.1')
  expect(await pair.connection.ask(async (client) => await client.pttl(key))).toBeGreaterThan(0)
  // What is no answer of the provider is dropped.
  await pair.connection.ask(async (client) => await client.set(key, '{"a":"text"}', 'PX', 50_000))
  expect(await pair.third()).toMatchObject({ value: { a: 1 } })
  expect(pair.requests()).toBe(2)
})

test.skipIf(withoutRedis)('a provider that failed too often for one process rests for the others', async () => {
  await using pair = await openPair(() => 500)
  for (let count = 0; count < 2; count += 1) await expect(pair.one()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  const before = pair.requests()
  await expect.poll(async () => (await keys(pair.connection)).length).toBe(1)
  await expect(pair.other()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(pair.requests()).toBe(before)
})

async function keys(connection: Awaited<ReturnType<typeof openRedis>>): Promise<string[]> {
  return (await connection.ask(async (client) => await client.keys('*'))).filter((key) => !key.endsWith('probe'))
}

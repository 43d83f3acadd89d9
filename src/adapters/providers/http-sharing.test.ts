import { expect, test } from 'vitest'
import { z } from 'zod'
import { good, httpPairs, type Reply, status } from '../../../test/providers/http-pairs.ts'
import { createResponseCache } from './http-cache.ts'

const { pair } = httpPairs()

test('equal calls share a request, and its end waits for the last of them', async () => {
  let answer = () => {}
  const held: Reply = (_request, response) => {
    answer = () => response.end('{"a":1}')
  }
  const { provider, seen } = await pair([held])
  const leaving = new AbortController()
  const ask = (signal: AbortSignal) => provider.request({ path: '/thing', schema: z.object({ a: z.number() }), signal })
  const first = ask(leaving.signal)
  const second = ask(new AbortController().signal)
  await expect.poll(() => seen.length).toBe(1)
  leaving.abort()
  await expect(first).rejects.toMatchObject({ code: 'CANCELLED' })
  answer()
  expect(await second).toMatchObject({ value: { a: 1 } })
  expect(seen).toHaveLength(1)
})

test('a request ends when no caller waits for it any more', async () => {
  let ended = false
  const held: Reply = ({ socket }) => {
    socket.on('close', () => {
      ended = true
    })
  }
  const { provider, seen } = await pair([held])
  const leaving = new AbortController()
  const asked = provider.request({ path: '/thing', schema: z.unknown(), signal: leaving.signal })
  await expect.poll(() => seen.length).toBe(1)
  leaving.abort()
  await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' })
  await expect.poll(() => ended).toBe(true)
})

test('a cached response has its age, and is requested again after its time', async () => {
  const { get, seen } = await pair([good])
  await get({ cacheMs: 200 })
  await new Promise((resolve) => setTimeout(resolve, 60))
  const kept = await get({ cacheMs: 200 })
  expect(kept.ageMs).toBeGreaterThanOrEqual(50)
  expect(seen).toHaveLength(1)
  await new Promise((resolve) => setTimeout(resolve, 250))
  expect(await get({ cacheMs: 200 })).toMatchObject({ ageMs: 0 })
  expect(seen).toHaveLength(2)
})

test('a long list is cached too', async () => {
  const rows = Array.from({ length: 60_000 }, (_, a) => ({ a, left: 'out'.repeat(20) }))
  const { provider, seen } = await pair([status(200, {}, JSON.stringify(rows))], { times: { attemptMs: 5_000 } })
  const schema = z.array(z.object({ a: z.number() }))
  const asked = {
    path: '/list',
    schema,
    mostBytes: 32 * 1_048_576,
    cacheMs: 60_000,
    signal: new AbortController().signal,
  }
  expect((await provider.request(asked)).value).toHaveLength(60_000)
  expect((await provider.request(asked)).latencyMs).toBe(0)
  expect(seen).toHaveLength(1)
})

test('what providers keep together is bounded by its bytes, and each finds its own', async () => {
  const cache = createResponseCache(20_000)
  const kept = { cacheMs: 60_000 }
  const text = z.object({ text: z.string() })
  const long = status(200, {}, JSON.stringify({ text: 'x'.repeat(4_000) }))
  // Requests are counted: on a busy machine a short attempt would be made again.
  const times = { attemptMs: 20_000, deadlineMs: 30_000 }
  const [left, right] = [
    await pair([long], { cache, times }),
    await pair([long], { cache, times, urlSetting: 'OTHER_URL' }),
  ]
  const ask = async ({ get }: typeof left, path: string) => await get({ ...kept, path, schema: text })
  for (const one of [left, right]) for (const _ of [1, 2]) await ask(one, '/first')
  expect([left.seen.length, right.seen.length]).toEqual([1, 1])
  await ask(right, '/second') // the cache has no room for all three
  await ask(left, '/first')
  await ask(right, '/second')
  expect([left.seen.length, right.seen.length]).toEqual([2, 2])
  const huge = await pair([status(200, {}, JSON.stringify({ text: 'x'.repeat(6_000) }))], { cache, times })
  for (const _ of [1, 2]) await ask(huge, '/huge')
  expect(huge.seen).toHaveLength(2)
})

import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { startRedis, withoutRedis } from '../../../test/redis.ts'
import type { RateRule } from '../../contract/shared/limits.ts'
import type { Limiter } from '../../domain/ports/limiter.ts'
import { keyPrefix, openRedis, type RedisOutage } from '../redis/connection.ts'
import { createDividedLimiter } from './divided.ts'
import { createEitherLimiter } from './either.ts'
import { createLocalShareLimiter } from './local-share.ts'
import { createMemoryLimiter } from './memory.ts'
import { createRedisLimiter } from './redis.ts'

const window = { limit: 100, windowSeconds: 60, per: 'account' } as const
/** Where exactness is tested, a busy machine must not make Redis look away. */
const patientMs = 10_000

const bucket = { limit: 1, windowSeconds: 60, burst: 200, per: 'address' } as const

/** Calls as many at once as the limiters are, until all are made; returns how many were allowed. */
async function allowedOf(limiters: readonly Limiter[], rule: RateRule, takes: number): Promise<number> {
  const each = Array.from({ length: takes }, async (_, index) => {
    const limiter = limiters[index % limiters.length]
    return (await limiter?.take('r', rule, 'k', new Date()))?.allowed === true
  })
  return (await Promise.all(each)).filter(Boolean).length
}

test.skipIf(withoutRedis)('processes over one Redis count a rate exactly, with one exchange a request', async () => {
  await using server = await startRedis()
  await using one = await openRedis(server.url, () => undefined, patientMs)
  await using other = await openRedis(server.url, () => undefined, patientMs)
  const limiters = [one, other].map((redis) => createRedisLimiter(redis))
  for (const [rule, expected] of [
    [window, 100],
    [bucket, 200],
  ] as const)
    expect(await allowedOf(limiters, rule, 1_000)).toBe(expected)
  const keys = await one.ask(async (client) => await client.keys('*'))
  expect(keys.every((key) => key.startsWith(keyPrefix))).toBe(true)
  for (const key of keys) expect(await one.ask(async (client) => await client.pttl(key))).toBeGreaterThan(0)
})

test.skipIf(withoutRedis)('windows and buckets in Redis are those in memory', async () => {
  await using server = await startRedis()
  await using redis = await openRedis(server.url, () => undefined, patientMs)
  const step = fc.record({
    kind: fc.constantFrom('take', 'take', 'take', 'charge', 'undo'),
    units: fc.integer({ min: 0, max: 30 }),
  })
  const rules = fc.record({
    limit: fc.integer({ min: 1, max: 5 }),
    windowSeconds: fc.constant(3_600),
    burst: fc.option(fc.integer({ min: 1, max: 7 }), { nil: undefined }),
  })
  let count = 0
  await fc.assert(
    fc.asyncProperty(rules, fc.array(step, { maxLength: 20 }), async ({ burst, ...plain }, steps) => {
      count += 1
      const rule: RateRule = { ...plain, per: 'key', ...(burst === undefined ? {} : { burst }) }
      const [here, there] = [createMemoryLimiter(), createRedisLimiter(redis)]
      const taken: Date[] = []
      for (const { kind, units } of steps) {
        const now = new Date()
        const both = async (act: (limiter: Limiter) => Promise<unknown>) => [await act(here), await act(there)]
        const at = taken.at(-1)
        if (kind === 'undo' && at !== undefined) {
          taken.pop()
          await both(async (limiter) => await limiter.giveBack('r', rule, `k${count}`, at))
        } else if (kind !== 'undo' && (kind === 'take' || burst !== undefined)) {
          const [mine, shared] = await both(async (limiter) =>
            kind === 'take'
              ? await limiter.take('r', rule, `k${count}`, now)
              : await limiter.charge('r', rule, `k${count}`, now, units),
          )
          if (kind === 'take' && (mine as { allowed: boolean }).allowed) taken.push(now)
          expect(near(shared)).toEqual(near(mine))
        }
      }
    }),
    { numRuns: 40 },
  )
})

/** What a caller learns, but for the time that passes between two limiters. */
function near(taken: unknown): unknown {
  const { resetAt, retryAfterSeconds, ...exact } = taken as Awaited<ReturnType<Limiter['take']>>
  return { ...exact, resetIn: Math.round(resetAt.getTime() / 20_000), retryIn: Math.round(retryAfterSeconds / 20) }
}

test.skipIf(withoutRedis)(
  'the rates of the node need no exchange far from their end, and are close to it',
  async () => {
    await using server = await startRedis()
    await using one = await openRedis(server.url, () => undefined, patientMs)
    await using other = await openRedis(server.url, () => undefined, patientMs)
    const run = vi.spyOn(one, 'run')
    const share = (redis: typeof one) => createLocalShareLimiter(createRedisLimiter(redis), new Set(['r']))
    const limiters = [share(one), share(other)]
    const rule = { limit: 10, windowSeconds: 600, burst: 2_000, per: 'address' } as const
    for (let count = 0; count < 400; count += 1) await limiters[0]?.take('r', rule, 'k', new Date())
    expect(run.mock.calls.length).toBeLessThan(30)
    const allowed = 400 + (await allowedOf(limiters, rule, 3_000))
    expect(allowed).toBeGreaterThanOrEqual(1_990)
    expect(allowed).toBeLessThanOrEqual(2_110) // burst, the unsaid part of two processes, and a second of the rate
    // A small bucket has no part that a process may use unsaid: it is exact.
    const small = { limit: 1, windowSeconds: 600, burst: 30, per: 'address' } as const
    const taken = Array.from({ length: 200 }, (_, count) => limiters[count % 2]?.take('r', small, 'small', new Date()))
    expect((await Promise.all(taken)).filter((one) => one?.allowed).length).toBe(30)
  },
)

test.skipIf(withoutRedis)(
  'a caller in debt gets nothing after a silence, nor at a process that never heard of it',
  async () => {
    await using server = await startRedis()
    await using redis = await openRedis(server.url, () => undefined, patientMs)
    const share = () => createLocalShareLimiter(createRedisLimiter(redis), new Set(['r']))
    const limiter = share()
    const rule = { limit: 10, windowSeconds: 600, burst: 2_000, per: 'address' } as const
    expect(await limiter.charge('r', rule, 'k', new Date(), 12_000)).toMatchObject({ allowed: false })
    const asked = async (by: Limiter) => [
      (await by.charge('r', rule, 'k', new Date(), 0)).allowed,
      (await by.take('r', rule, 'k', new Date())).allowed,
    ]
    expect(await asked(share())).toEqual([false, false])
    await pause(1_100)
    expect(await asked(limiter)).toEqual([false, false])
  },
)

test.skipIf(withoutRedis).each(['killed', 'held', 'cut off'] as const)(
  'amid a Redis that is %s every decision is quick, rates are divided, and it comes back by itself',
  async (how) => {
    await using server = await startRedis()
    const outages: RedisOutage[] = []
    await using redis = await openRedis(server.url, (event) => outages.push(event))
    const divided = createDividedLimiter(createMemoryLimiter(), () => ({ place: 2, of: 3 }))
    const limiter = createEitherLimiter(createRedisLimiter(redis), divided, redis.isAway)
    let slowest = 0
    const take = async (key: string) => {
      const begun = performance.now()
      const taken = await limiter.take('r', window, key, new Date())
      slowest = Math.max(slowest, performance.now() - begun)
      return taken
    }
    const back = async () => await expect.poll(() => redis.isAway(), { timeout: 20_000, interval: 20 }).toBe(false)
    expect((await take('before')).remaining).toBe(99)
    await Promise.all([
      how === 'killed'
        ? server.kill()
        : how === 'held'
          ? server.signal('SIGSTOP')
          : redis.ask(cutOff).catch(() => null),
      (async () => {
        for (let count = 0; count < 300; count += 1) {
          await Promise.all([take('other'), take('third')])
          if (count % 50 === 0) await pause(20)
        }
      })(),
    ])
    if (how !== 'cut off') {
      const taken = await Promise.all(Array.from({ length: 100 }, async () => await take('away')))
      expect(taken.filter(({ allowed }) => allowed).length).toBe(33)
      expect(taken.every(({ limit }) => limit === 100)).toBe(true)
    }
    if (how === 'killed') await server.start()
    if (how === 'held') server.signal('SIGCONT')
    await back()
    expect((await take('after')).remaining).toBe(99)
    expect(slowest).toBeLessThan(500)
    expect(outages.map(({ seconds }) => seconds === null)).toEqual([true, false])
  },
)

async function cutOff(client: { call(...words: [string, ...string[]]): Promise<unknown> }): Promise<unknown> {
  return await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'no')
}

test.skipIf(withoutRedis)(
  'a Redis that is away at the start, wants a password or may not write is away, not fatal',
  async () => {
    await using server = await startRedis('--requirepass', 'secret-of-redis')
    const outages: RedisOutage[] = []
    await using refused = await openRedis(server.url, (event) => outages.push(event))
    expect(refused.isAway()).toBe(true)
    await using known = await openRedis(server.url.replace('//', '//default:secret-of-redis@'), () => undefined)
    expect(known.isAway()).toBe(false)
    await server.kill()
    await using late = await openRedis(server.url.replace('//', '//:secret-of-redis@'), () => undefined)
    expect(late.isAway()).toBe(true)
    await server.start()
    await expect.poll(() => late.isAway(), { timeout: 20_000 }).toBe(false)
    expect(outages.length).toBe(1)
    expect(String(outages[0]?.failure)).not.toContain('secret-of-redis')
  },
)

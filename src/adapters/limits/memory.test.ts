import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryLimiter } from './memory.ts'

const rule = { limit: 3, windowSeconds: 10, per: 'account' } as const
const at = (ms: number) => new Date(1_700_000_000_000 + ms)

test('allows the limit, then says when to come back, and keys and rules are counted apart', async () => {
  const limiter = createMemoryLimiter()
  const taken = await Promise.all([0, 1_000, 2_000].map((ms) => limiter.take('chat', rule, 'a', at(ms))))
  expect(taken.map((one) => [one.allowed, one.remaining])).toEqual([
    [true, 2],
    [true, 1],
    [true, 0],
  ])
  const refused = await limiter.take('chat', rule, 'a', at(2_500))
  expect(refused).toEqual({ allowed: false, limit: 3, remaining: 0, resetAt: at(12_000), retryAfterSeconds: 8 })
  expect((await limiter.take('chat', rule, 'b', at(2_500))).allowed).toBe(true)
  expect((await limiter.take('execute', rule, 'a', at(2_500))).allowed).toBe(true)
  expect((await limiter.take('chat', rule, 'a', at(10_000))).allowed).toBe(true)
})

test('no window ever has more requests than the limit, and waiting for the returned time is enough', async () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 6_000 }), { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(gaps, fc.integer({ min: 1, max: 5 }), async (waits, limit) => {
      const limiter = createMemoryLimiter()
      const allowed: number[] = []
      let ms = 0
      for (const wait of waits) {
        ms += wait
        const taken = await limiter.take('r', { ...rule, limit }, 'k', at(ms))
        if (!taken.allowed) {
          ms += taken.retryAfterSeconds * 1_000
          expect((await limiter.take('r', { ...rule, limit }, 'k', at(ms))).allowed).toBe(true)
        }
        allowed.push(ms)
      }
      for (const start of allowed) {
        expect(allowed.filter((time) => time >= start && time < start + 10_000).length).toBeLessThanOrEqual(limit)
      }
    }),
  )
})

const bucket = { limit: 100, windowSeconds: 1, burst: 200, per: 'address' } as const

test('a bucket gives its burst at once, then its rate, and is full again after a rest', async () => {
  const limiter = createMemoryLimiter()
  const allowedAt = async (ms: number) => {
    const taken = await Promise.all(Array.from({ length: 300 }, () => limiter.take('node', bucket, 'a', at(ms))))
    return taken.filter(({ allowed }) => allowed).length
  }
  expect(await allowedAt(0)).toBe(200)
  expect(await limiter.take('node', bucket, 'a', at(0))).toEqual({
    allowed: false,
    limit: 100,
    remaining: 0,
    resetAt: at(2_000),
    retryAfterSeconds: 1,
  })
  for (const [ms, expected] of [
    [9, 0],
    [10, 1],
    [1_010, 100],
    [9_000, 200],
  ] as const)
    expect(await allowedAt(ms)).toBe(expected)
})

test('a bucket never allows more than its burst and its rate, and waiting for the returned time is enough', async () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 6_000 }), { maxLength: 60 })
  const small = fc.integer({ min: 1, max: 7 })
  await fc.assert(
    fc.asyncProperty(gaps, small, small, small, async (waits, limit, windowSeconds, burst) => {
      const limiter = createMemoryLimiter()
      const tried = { limit, windowSeconds, burst, per: 'key' } as const
      const allowed: number[] = []
      let ms = 0
      for (const wait of waits) {
        ms += wait
        const taken = await limiter.take('r', tried, 'k', at(ms))
        if (!taken.allowed) {
          ms += taken.retryAfterSeconds * 1_000
          expect((await limiter.take('r', tried, 'k', at(ms))).allowed).toBe(true)
        }
        allowed.push(ms)
      }
      for (const start of allowed) {
        const span = allowed.filter((time) => time >= start)
        span.forEach((time, index) => {
          expect(index + 1).toBeLessThanOrEqual(burst + ((time - start) * limit) / (windowSeconds * 1_000) + 1e-9)
        })
      }
    }),
  )
})

test('memory is bounded: the keys used longest ago are forgotten first', async () => {
  const limiter = createMemoryLimiter(6)
  for (let count = 0; count < 3; count += 1) await limiter.take('r', rule, 'old', at(0))
  await limiter.take('r', rule, 'kept', at(1))
  await limiter.take('r', rule, 'kept', at(2))
  for (const key of ['x', 'y']) await limiter.take('r', rule, key, at(3))
  expect((await limiter.take('r', rule, 'old', at(4))).remaining).toBe(2)
  expect((await limiter.take('r', rule, 'kept', at(5))).remaining).toBe(0)
})

test('a request that is given back was never counted, in a window and in a bucket', async () => {
  for (const each of [rule, bucket]) {
    const [limiter, other] = [createMemoryLimiter(), createMemoryLimiter()]
    await limiter.take('r', each, 'k', at(0))
    await other.take('r', each, 'k', at(0))
    await limiter.take('r', each, 'k', at(1))
    await limiter.giveBack('r', each, 'k', at(1))
    expect(await limiter.take('r', each, 'k', at(2))).toEqual(await other.take('r', each, 'k', at(2)))
  }
})

test('a charge is counted after its use: it may leave a debt of ten buckets, which time pays', async () => {
  const limiter = createMemoryLimiter()
  const work = { limit: 60, windowSeconds: 60, per: 'address', burst: 100 } as const
  const charge = (units: number, ms: number) => limiter.charge('work', work, 'a', at(ms), units)
  expect(await charge(0, 0)).toMatchObject({ allowed: true, remaining: 100, retryAfterSeconds: 0, resetAt: at(0) })
  expect(await charge(99, 0)).toMatchObject({ allowed: true, remaining: 1 })
  expect(await charge(1, 0)).toMatchObject({ allowed: false, remaining: 0, retryAfterSeconds: 1 })
  expect(await charge(100, 0)).toMatchObject({ allowed: false, remaining: 0, retryAfterSeconds: 101 })
  expect(await charge(0, 100_000)).toMatchObject({ allowed: false, retryAfterSeconds: 1 })
  expect(await charge(10_000, 100_000)).toMatchObject({ allowed: false, retryAfterSeconds: 1_001 })
  expect(await charge(0, 1_101_000)).toMatchObject({ allowed: true, remaining: 1 })
  // A rule without a burst has a bucket of its limit.
  const { burst: _, ...plain } = work
  expect(await limiter.charge('work', plain, 'b', at(0), 59)).toMatchObject({ allowed: true, remaining: 1 })
})

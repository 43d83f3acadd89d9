import { expect, test } from 'vitest'
import { createDividedLimiter } from './divided.ts'
import { createMemoryLimiter } from './memory.ts'

test.each([
  [10, 1],
  [10, 3],
  [10, 4],
  [7, 3],
  [100, 8],
])('a rate of %i over %i processes allows that many together, and callers see the whole rate', async (limit, of) => {
  for (const burst of [undefined, 2 * limit]) {
    const rule = { limit, windowSeconds: 600, per: 'account', ...(burst === undefined ? {} : { burst }) } as const
    const limiters = Array.from({ length: of }, (_, place) =>
      createDividedLimiter(createMemoryLimiter(), () => ({ place, of })),
    )
    const now = new Date()
    const taken = await Promise.all(
      limiters.flatMap((limiter) => Array.from({ length: 300 }, async () => await limiter.take('r', rule, 'k', now))),
    )
    expect(taken.filter(({ allowed }) => allowed).length).toBe(burst ?? limit)
    expect(new Set(taken.map((one) => one.limit))).toEqual(new Set([limit]))
  }
})

test('alone a process has the whole rule, and a part is never below one', async () => {
  const rule = { limit: 2, windowSeconds: 600, per: 'account' } as const
  const [divided, plain] = [
    createDividedLimiter(createMemoryLimiter(), () => ({ place: 0, of: 1 })),
    createMemoryLimiter(),
  ]
  const now = new Date()
  for (let count = 0; count < 4; count += 1)
    expect(await divided.take('r', rule, 'k', now)).toEqual(await plain.take('r', rule, 'k', now))
  const last = createDividedLimiter(createMemoryLimiter(), () => ({ place: 4, of: 5 }))
  expect((await last.take('r', rule, 'k', now)).allowed).toBe(true)
  expect((await last.take('r', rule, 'k', now)).allowed).toBe(false)
})

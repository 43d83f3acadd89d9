import { expect, test } from 'vitest'
import { createStoredLimiter } from '../../src/adapters/limits/stored.ts'
import { openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { shared } from '../shared.ts'

test('processes whose clocks differ count wrong passwords by the clock of the database', async () => {
  const settings = { url: await shared('database'), dataDir: 'unused' }
  await using database = await openDatabase(settings)
  await using another = await openDatabase(settings)
  const [limiter, ahead] = [createStoredLimiter(database), createStoredLimiter(another)]
  const window = { limit: 3, windowSeconds: 600, per: 'account' } as const
  const later = () => new Date(Date.now() + 3_600_000)
  for (const rule of [window, { ...window, burst: 3 }]) {
    const key = JSON.stringify(rule)
    for (let count = 0; count < 3; count += 1)
      expect(await limiter.take('r', rule, key, new Date())).toMatchObject({ allowed: true, remaining: 2 - count })
    const at = later()
    const refused = await ahead.take('r', rule, key, at)
    expect(refused).toMatchObject({ allowed: false, remaining: 0 })
    expect(refused.retryAfterSeconds).toBeLessThanOrEqual(600)
    // What a caller learns is by the clock of the process that says it.
    expect(refused.resetAt.getTime() - at.getTime()).toBeGreaterThan(500_000)
    expect(refused.resetAt.getTime() - at.getTime()).toBeLessThanOrEqual(600_000)
    if ('burst' in rule) expect((await ahead.charge('r', rule, key, later(), 0)).allowed).toBe(false)
    await ahead.giveBack('r', rule, key, at)
    expect((await limiter.take('r', rule, key, new Date())).allowed).toBe(true)
    expect((await limiter.take('r', rule, key, new Date())).allowed).toBe(false)
  }
})

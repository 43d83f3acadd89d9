import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { temporaryDir } from '../fixtures/testing.ts'
import { openClock, usdOf } from './clock.ts'

const began = 1_790_000_000
const day = 86_400

async function folder() {
  const dir = await temporaryDir()
  const file = join(dir.path, 'market.json')
  const open = (options: Partial<Parameters<typeof openClock>[0]> = {}) =>
    openClock({
      mode: 'moving',
      speed: 4,
      seed: 'seed',
      file,
      chainBegan: began,
      fresh: false,
      now: began + 12,
      ...options,
    })
  return { file, open, [Symbol.asyncDispose]: dir[Symbol.asyncDispose] }
}

test('a market that begins has the first prices, a past and a future, the same ones for the same seed', async () => {
  await using one = await folder()
  await using two = await folder()
  const [clock, other] = [one.open({ fresh: true }), two.open({ fresh: true })]
  expect(clock.usd('ETH', began + 12)).toBeCloseTo(3_000, 6)
  expect(clock.usd('BTC', began + 12)).toBeCloseTo(60_000, 6)
  expect(clock.began).toBe(began - 30 * day)
  for (const at of [began - 29 * day, began - 60, began + 100, began + 400 * day]) {
    expect(clock.usd('ETH', at)).not.toBeCloseTo(3_000, 1)
    expect(other.usd('ETH', at)).toBe(clock.usd('ETH', at))
  }
  await using third = await folder()
  expect(third.open({ fresh: true, seed: 'another' }).usd('ETH', began + 1_000)).not.toBe(
    clock.usd('ETH', began + 1_000),
  )
})

test('it goes on where it would be after any restart, and keeps what an operator did until a setting changes', async () => {
  await using dir = await folder()
  const clock = dir.open({ fresh: true, seed: undefined })
  const seed = clock.seed
  expect(seed).toMatch(/^[0-9a-f]{16}$/)
  clock.setRunning({ speed: 1 }, began + 100)
  clock.setPrice('BTC', 50_000, began + 200)
  const times = [began - day, began + 50, began + 150, began + 250, began + day]
  const before = times.map((at) => [clock.usd('ETH', at), clock.usd('BTC', at)])

  const again = dir.open({ seed: undefined, now: began + 900 })
  expect(again.seed).toBe(seed)
  expect(times.map((at) => [again.usd('ETH', at), again.usd('BTC', at)])).toEqual(before)
  expect(again.running(began + 900)).toEqual({ mode: 'moving', speed: 1 })

  const slower = dir.open({ seed: undefined, now: began + 1_000, speed: 2 })
  expect(slower.running(began + 999).speed).toBe(1)
  expect(slower.running(began + 1_000).speed).toBe(2)
  expect(dir.open({ seed: undefined, now: began + 2_000, speed: 2 }).running(began + 3_000).speed).toBe(2)
})

test('a setting that changed acts, and the other one leaves what an operator did', async () => {
  await using dir = await folder()
  dir.open({ fresh: true, speed: 1 }).setRunning({ mode: 'still' }, began + 100)
  const held = dir.open({ now: began + 200, speed: 2 })
  expect(held.running(began + 200)).toEqual({ mode: 'still', speed: 2 })
})

test('a folder of the version before begins to move at its present prices, and keeps its past', async () => {
  await using dir = await folder()
  const still = dir.open({ mode: 'still' })
  expect(existsSync(dir.file)).toBe(false)
  expect([still.usd('ETH', began + day), still.seed, still.began]).toEqual([3_000, null, began])
  const now = began + 40 * day
  const clock = dir.open({ now })
  expect(clock.began).toBe(began)
  for (const at of [began, now - 1, now]) expect(clock.usd('ETH', at)).toBeCloseTo(3_000, 6)
  expect(clock.usd('ETH', now + 300)).not.toBeCloseTo(3_000, 1)
})

test('whatever hands do, no price is lost: the past stays, a set price holds at once, and a change of pace does not jump', async () => {
  const hand = fc.oneof(
    fc.record({
      asset: fc.constantFrom('ETH' as const, 'BTC' as const),
      factor: fc.double({ min: 0.2, max: 5, noNaN: true }),
    }),
    fc.record({ mode: fc.constantFrom('moving' as const, 'still' as const) }),
    fc.record({ speed: fc.double({ min: 0.1, max: 60, noNaN: true }) }),
  )
  const hands = fc.array(fc.tuple(fc.integer({ min: 0, max: 5_000 }), hand), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(hands, fc.boolean(), async (turns, fresh) => {
      await using dir = await folder()
      const clock = dir.open({ fresh, mode: fresh ? 'moving' : 'still' })
      let at = began + 20
      for (const [later, turn] of turns) {
        at += later
        const past = [at - 10_000, at - 7, at - 1]
        const seen = past.map((time) => clock.usd('ETH', time))
        const expected = clock.usd('ETH', at)
        if ('asset' in turn) {
          const usd = { ETH: 3_000, BTC: 60_000 }[turn.asset] * turn.factor
          clock.setPrice(turn.asset, usd, at)
          expect(clock.usd(turn.asset, at) / usd).toBeCloseTo(1, 9)
          if (turn.asset === 'BTC') expect(clock.usd('ETH', at) / expected).toBeCloseTo(1, 9)
        } else {
          clock.setRunning(turn, at)
          expect(clock.usd('ETH', at) / expected).toBeCloseTo(1, 9)
        }
        // Two turns at one moment: the second one replaces the first.
        if (later > 0) expect(past.map((time) => clock.usd('ETH', time))).toEqual(seen)
      }
      const again = dir.open({ seed: undefined, mode: fresh ? 'moving' : 'still', now: at + 1 })
      for (const time of [began, at - 1, at, at + 77])
        expect([again.usd('ETH', time), again.usd('BTC', time)]).toEqual([
          clock.usd('ETH', time),
          clock.usd('BTC', time),
        ])
    }),
    { numRuns: 60 },
  )
})

test('a market that is still stands, and a set price fades into the path', async () => {
  await using dir = await folder()
  const clock = dir.open({ fresh: true })
  clock.setRunning({ mode: 'still' }, began + 1_000)
  const held = clock.usd('ETH', began + 1_000)
  expect(clock.usd('ETH', began + 90 * day)).toBe(held)
  clock.setRunning({ mode: 'moving' }, began + 90 * day)
  expect(clock.usd('ETH', began + 90 * day)).toBeCloseTo(held, 6)

  await using untouched = await folder()
  const free = untouched.open({ fresh: true })
  const set = untouched.open({})
  set.setPrice('ETH', 6_000, began + 1_000)
  const ratio = (at: number) => set.usd('ETH', at) / free.usd('ETH', at)
  // After 30 days of the path, 7.5 of the clock, half of the logarithm is left.
  expect(ratio(began + 1_000 + 7.5 * day)).toBeCloseTo(Math.sqrt(ratio(began + 1_000)), 2)
})

test('what it cannot do is refused in words that say what to do', async () => {
  await using dir = await folder()
  const clock = dir.open({ fresh: true })
  for (const usd of [299, 30_001, Number.NaN, -1, Number.POSITIVE_INFINITY])
    expect(() => clock.setPrice('ETH', usd, began + 20)).toThrow('must be from 300 to 30000 for ETH')
  expect(() => dir.open({ seed: 'another' })).toThrow('leave SANDBOX_SEED out')
  const whole = readFileSync(dir.file, 'utf8')
  writeFileSync(dir.file, whole.slice(0, 40))
  expect(() => dir.open({ seed: undefined })).toThrow('is damaged: restore it from a backup')
})

test('tokens have the price of their asset', async () => {
  await using dir = await folder()
  const clock = dir.open({ fresh: true })
  const at = began + 500
  expect(usdOf(clock, 'WETH', at)).toBe(clock.usd('ETH', at))
  expect(usdOf(clock, 'WBTC', at)).toBe(clock.usd('BTC', at))
  expect([usdOf(clock, 'USDC', at), usdOf(clock, 'RUG', at)]).toEqual([1, 0])
})

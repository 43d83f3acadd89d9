import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPath, livelyStart } from './path.ts'

const seeds = fc.string({ minLength: 1, maxLength: 20 })
const moments = fc.integer({ min: -100_000_000, max: 4_000_000_000 })

test('a seed has one path, in whatever order it is read, and another seed another one', () => {
  fc.assert(
    fc.property(seeds, fc.array(moments, { minLength: 1, maxLength: 20 }), (seed, times) => {
      const path = createPath(seed)
      const forward = times.map(path)
      const again = createPath(seed)
      expect(times.toReversed().map(again).toReversed()).toEqual(forward)
    }),
    { numRuns: 50 },
  )
  expect(createPath('one')(1_000)).not.toEqual(createPath('two')(1_000))
})

test('it has no gaps: two seconds later no price is 2 % away', () => {
  fc.assert(
    fc.property(seeds, moments, (seed, at) => {
      const path = createPath(seed)
      const [before, after, between] = [path(at), path(at + 2), path(at + 1)]
      expect(Math.abs(after.ETH - before.ETH)).toBeLessThan(0.02)
      expect(Math.abs(after.BTC - before.BTC)).toBeLessThan(0.02)
      expect(Math.abs(between.ETH - before.ETH)).toBeLessThan(0.02)
    }),
    { numRuns: 200 },
  )
})

test('its hours are calm, ordinary and wild ones, and both assets mostly move together', () => {
  const hours = Array.from({ length: 6 }, (_, seed) => {
    const path = createPath(`seed ${seed}`)
    return Array.from({ length: 720 }, (_none, hour) => {
      const [from, to] = [path(hour * 3_600), path((hour + 1) * 3_600)]
      return { ETH: to.ETH - from.ETH, BTC: to.BTC - from.BTC }
    })
  }).flat()
  const deviation = (values: number[]) => Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / values.length)
  const [eth, btc] = [deviation(hours.map(({ ETH }) => ETH)), deviation(hours.map(({ BTC }) => BTC))]
  expect(eth * Math.sqrt(8_760)).toBeGreaterThan(0.55)
  expect(eth * Math.sqrt(8_760)).toBeLessThan(0.85)
  const together = hours.reduce((sum, { ETH, BTC }) => sum + ETH * BTC, 0) / hours.length / eth / btc
  expect(together).toBeGreaterThan(0.6)
  expect(together).toBeLessThan(0.8)
  const sizes = hours.map(({ ETH }) => Math.abs(ETH)).sort((left, right) => left - right)
  // A normal distribution has 3.5 here.
  expect((sizes.at(-43) ?? 0) / (sizes[sizes.length >> 1] ?? 1)).toBeGreaterThan(3.8)
})

test('a start is lively at every speed: in three minutes the price moves by half a percent', () => {
  for (const speed of [1, 4, 60])
    for (let seed = 0; seed < 10; seed += 1) {
      const path = createPath(`seed ${seed}`)
      const start = livelyStart(path, speed)
      for (const looked of [0, 15, 40, 60]) {
        const moved = path(start + (looked + 180) * speed).ETH - path(start + looked * speed).ETH
        expect(Math.abs(moved)).toBeGreaterThan(0.004)
        expect(Math.abs(moved)).toBeLessThan(0.03)
      }
    }
})

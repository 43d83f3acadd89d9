import fc from 'fast-check'
import { expect, test } from 'vitest'
import { slopeOf } from './memory.ts'

const line = (slope: number, noise: readonly number[]) =>
  noise.map((odd, index) => ({ at: index * 10, value: slope * index * 10 + odd }))

test('the slope of a line is found, though every fifth point is anywhere', () => {
  const slopes = fc.double({ min: -5, max: 5, noNaN: true })
  const outliers = fc.array(fc.double({ min: -1e4, max: 1e4, noNaN: true }), { minLength: 6, maxLength: 6 })
  fc.assert(
    fc.property(slopes, outliers, (slope, odd) => {
      const noise = Array.from({ length: 30 }, (_, index) => (index % 5 === 2 ? (odd[Math.floor(index / 5)] ?? 0) : 0))
      expect(slopeOf(line(slope, noise))).toBeCloseTo(slope, 6)
    }),
  )
})

test('what does not grow has no slope, and one point has none either', () => {
  expect(slopeOf(line(0, [3, 3, 3, 3]))).toBe(0)
  expect(slopeOf([{ at: 1, value: 1 }])).toBeNaN()
})

import { expect, test } from 'vitest'
import { median, percentile } from './percentiles.ts'

test('a median of two lies halfway between them', () => {
  expect(median([30, 10])).toBe(20)
  expect(median([1, 9, 2])).toBe(2)
  expect(median([4, 1, 3, 2])).toBe(2.5)
  expect(median([])).toBeNaN()
})

test('a percentile is one of the values, and of a hundred the 99th is not the longest', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)
  expect(percentile(hundred, 0.99)).toBe(99)
  expect(percentile(hundred, 1)).toBe(100)
  expect(percentile(hundred, 0)).toBe(1)
  expect(percentile([], 0.5)).toBeNaN()
})

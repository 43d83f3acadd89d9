import { expect, test } from 'vitest'
import { createBreaker, type Rest } from './http-breaker.ts'

test('a pause is reported once, however many requests were open, and the next one again', () => {
  const received: Rest[] = []
  const breaker = createBreaker({ failures: 2, restMs: 5_000 }, (rest) => received.push(rest))
  for (const now of [1, 2, 3, 4]) breaker.failed(now)
  expect(breaker.enter(6_000)).toBe(0)
  breaker.failed(6_010)
  expect(received).toEqual([{ reason: 'failures', seconds: 5 }])
  breaker.succeeded()
  for (const now of [7_000, 7_001]) breaker.failed(now)
  expect(received).toHaveLength(2)
  for (const now of [8_000, 8_001]) breaker.limit(now, 60_000)
  expect(received.slice(2)).toEqual([{ reason: 'requested', seconds: 60 }])
  breaker.limit(68_002, 1_000)
  expect(received.slice(3)).toEqual([{ reason: 'requested', seconds: 1 }])
})

import { expect, test } from 'vitest'
import { createLogCache } from './recent-logs.ts'
import type { Log } from './whole-block.ts'

test('a block of more logs than the memory holds is read once while it is asked for, and gone after the next', () => {
  const kept = createLogCache()
  let reads = 0
  const large = () => {
    reads += 1
    return Array.from({ length: 30_000 }, () => ({}) as Log)
  }
  for (let round = 0; round < 3; round += 1) expect(kept.of(1, large)).toHaveLength(30_000)
  expect(reads).toBe(1)
  kept.of(2, () => [])
  kept.of(1, large)
  expect(reads).toBe(2)
})

import { expect, test } from 'vitest'
import { createLogCache } from './block-store.ts'
import type { Log } from './whole-block.ts'

test('a block with more logs than the cache holds stays cached until the next block is read', () => {
  const cache = createLogCache()
  let reads = 0
  const large = () => {
    reads += 1
    return Array.from({ length: 30_000 }, () => ({}) as Log)
  }
  for (let round = 0; round < 3; round += 1) expect(cache.of(1, large)).toHaveLength(30_000)
  expect(reads).toBe(1)
  cache.of(2, () => [])
  cache.of(1, large)
  expect(reads).toBe(2)
})

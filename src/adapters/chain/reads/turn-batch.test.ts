import { expect, test } from 'vitest'
import { DomainError } from '../../../domain/core/errors.ts'
import type { Head } from '../../../domain/ports/chains.ts'
import { turnBatch } from './turn-batch.ts'

const block: Head = { number: 1n, hash: '0x01', timestamp: 0n }
const other: Head = { ...block, hash: '0x02' }

/** Doubles numbers, and records what it was asked; it cannot take more than `limit` at once. */
function doubling(limit: number, most = 10) {
  const asked: (readonly number[])[] = []
  const ask = turnBatch(async (items: readonly number[]) => {
    asked.push(items)
    if (items.length > limit) throw new DomainError('FAILED_PRECONDITION', 'out of gas')
    return items.map((item) => item * 2)
  }, most)
  return { asked, ask }
}

test('what is asked at one block in one turn is one call, and each caller gets its own answers', async () => {
  const { asked, ask } = doubling(100)
  const all = [ask([1, 2], block), ask([], block), ask([3], block), ask([4], other)]
  expect(await Promise.all(all)).toEqual([[2, 4], [], [6], [8]])
  expect(asked).toEqual([[1, 2, 3], [4]])
  expect(await ask([5], block)).toEqual([10])
  expect(asked).toHaveLength(3)
})

test('a call has a limited size, and one that fails is made for each caller by itself', async () => {
  const { asked, ask } = doubling(2, 3)
  const parts = [[1, 2], [3], [4], [5, 6, 7, 8]]
  const [first, second, third, last] = await Promise.allSettled(parts.map((part) => ask(part, block)))
  expect([first, second, third].map((one) => one?.status === 'fulfilled' && one.value)).toEqual([[2, 4], [6], [8]])
  expect(last).toMatchObject({ status: 'rejected', reason: { message: 'out of gas' } })
  expect(asked).toEqual([[1, 2, 3], [4], [5, 6, 7, 8], [1, 2], [3]])
})

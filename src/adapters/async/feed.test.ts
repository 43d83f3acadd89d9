import { expect, test } from 'vitest'
import { DomainError } from '../../domain/core/errors.ts'
import { createFeed } from './feed.ts'

async function readAll<T>(reading: AsyncGenerator<T>): Promise<T[]> {
  const found: T[] = []
  for await (const value of reading) found.push(value)
  return found
}

test('every reader gets what is published from its call on, in order, at its own pace', async () => {
  const feed = createFeed<number>(10)
  feed.publish(0)
  const first = feed.read(new AbortController().signal)
  feed.publish(1)
  const second = feed.read(new AbortController().signal)
  feed.publish(2)
  expect((await first.next()).value).toBe(1)
  feed.publish(3)
  feed.end()
  feed.publish(4)
  expect(await readAll(first)).toEqual([2, 3])
  expect(await readAll(second)).toEqual([2, 3])
})

test('a reader that is too far behind fails, and no other does', async () => {
  const feed = createFeed<number>(3)
  const slow = feed.read(new AbortController().signal)
  const quick = feed.read(new AbortController().signal)
  for (let value = 0; value < 4; value += 1) {
    feed.publish(value)
    expect((await quick.next()).value).toBe(value)
  }
  await expect(slow.next()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect((await slow.next()).done).toBe(true)
})

test('the signal ends a reader that waits, and one that never began', async () => {
  const feed = createFeed<number>(1)
  const stopping = new AbortController()
  const waiting = readAll(feed.read(stopping.signal))
  const idle = feed.read(stopping.signal)
  stopping.abort()
  expect(await waiting).toEqual([])
  for (let value = 0; value < 5; value += 1) feed.publish(value)
  expect(await readAll(idle)).toEqual([])
  expect(await readAll(feed.read(stopping.signal))).toEqual([])
})

test('a failure comes after what was published before it', async () => {
  const feed = createFeed<number>(5)
  const reading = feed.read(new AbortController().signal)
  feed.publish(1)
  feed.fail(new DomainError('UNAVAILABLE', 'gone'))
  expect((await reading.next()).value).toBe(1)
  await expect(reading.next()).rejects.toMatchObject({ message: 'gone' })
})

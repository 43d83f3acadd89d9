import { expect, test } from 'vitest'
import { serialQueue, sharedTurns } from './queues.ts'

test('work that waits for a queue shares its next turn, and fails alone', async () => {
  const queue = serialQueue()
  const share = sharedTurns(queue)
  const order: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const before = queue(async () => {
    await promise
    order.push('before')
  })
  const note = (what: string) => share(async () => order.push(what))
  const failing = share(async () => {
    throw new Error('failed')
  })
  const shared = Promise.all([note('one'), note('two')])
  const after = queue(async () => order.push('after'))
  const joined = note('joined')
  resolve()
  await expect(failing).rejects.toThrow('failed')
  await Promise.all([before, shared, joined, after])
  expect(order).toEqual(['before', 'one', 'two', 'joined', 'after'])
  expect(await share(async () => 'again')).toBe('again')
})

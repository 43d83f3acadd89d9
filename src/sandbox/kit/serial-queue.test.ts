import { expect, test } from 'vitest'
import { serialQueue, sharedTurns } from './serial-queue.ts'

test('what waits for a lane shares its next turn, and what fails there fails alone', async () => {
  const lane = serialQueue()
  const share = sharedTurns(lane)
  const told: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const before = lane(async () => {
    await promise
    told.push('before')
  })
  const note = (what: string) => share(async () => told.push(what))
  const failing = share(async () => {
    throw new Error('failed')
  })
  const shared = Promise.all([note('one'), note('two')])
  const after = lane(async () => told.push('after'))
  const joined = note('joined')
  resolve()
  await expect(failing).rejects.toThrow('failed')
  await Promise.all([before, shared, joined, after])
  expect(told).toEqual(['before', 'one', 'two', 'joined', 'after'])
  expect(await share(async () => 'again')).toBe('again')
})

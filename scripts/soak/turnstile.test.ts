import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurnstile } from './turnstile.ts'

test('rest begins when all that passed has ended, and nothing passes until it is over', async () => {
  const { pass, atRest } = createTurnstile()
  const [first, looking] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const told: string[] = []
  const passing = pass(() => first.promise.then(() => told.push('first')))
  const resting = atRest(async () => {
    told.push('rest')
    await looking.promise
    told.push('rest is over')
  })
  const later = pass(async () => told.push('later'))
  await turn()
  expect(told).toEqual([])
  first.resolve()
  await turn()
  expect(told).toEqual(['first', 'rest'])
  looking.resolve()
  await Promise.all([passing, resting, later])
  expect(told).toEqual(['first', 'rest', 'rest is over', 'later'])
})

test('what fails has passed too', async () => {
  const { pass, atRest } = createTurnstile()
  const failing = pass(async () => {
    throw new Error('failed')
  })
  await expect(failing).rejects.toThrow('failed')
  expect(await atRest(async () => 'at rest')).toBe('at rest')
})

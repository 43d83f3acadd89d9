import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurnstile } from './turnstile.ts'

test('rest begins when all that passed has ended, and nothing passes until it is over', async () => {
  const { pass, atRest } = createTurnstile()
  const [first, looking] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const received: string[] = []
  const passing = pass(() => first.promise.then(() => received.push('first')))
  const resting = atRest(async () => {
    received.push('rest')
    await looking.promise
    received.push('rest is over')
  })
  const later = pass(async () => received.push('later'))
  await turn()
  expect(received).toEqual([])
  first.resolve()
  await turn()
  expect(received).toEqual(['first', 'rest'])
  looking.resolve()
  await Promise.all([passing, resting, later])
  expect(received).toEqual(['first', 'rest', 'rest is over', 'later'])
})

test('what fails has passed too', async () => {
  const { pass, atRest } = createTurnstile()
  const failing = pass(async () => {
    throw new Error('failed')
  })
  await expect(failing).rejects.toThrow('failed')
  expect(await atRest(async () => 'at rest')).toBe('at rest')
})

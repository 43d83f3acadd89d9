import { expect, test } from 'vitest'
import { createCoalesce } from './single-flight.ts'

const never = new AbortController().signal

test('equal calls under way share one, later ones are made anew', async () => {
  const coalesce = createCoalesce()
  const { promise, resolve } = Promise.withResolvers<unknown>()
  let calls = 0
  const ask = async () => {
    calls += 1
    return await promise
  }
  const both = [coalesce('a', never, ask), coalesce('a', never, ask), coalesce('b', never, ask)]
  resolve('answer')
  expect(await Promise.all(both)).toEqual(['answer', 'answer', 'answer'])
  expect(calls).toBe(2)
  await coalesce('a', never, ask)
  expect(calls).toBe(3)
})

test('a failure is shared and not remembered', async () => {
  const coalesce = createCoalesce()
  let calls = 0
  const ask = async () => {
    calls += 1
    throw new Error(`failure ${calls}`)
  }
  const both = await Promise.allSettled([coalesce('a', never, ask), coalesce('a', never, ask)])
  expect(both.map((each) => each.status === 'rejected' && each.reason.message)).toEqual(['failure 1', 'failure 1'])
  await expect(coalesce('a', never, ask)).rejects.toThrow('failure 2')
})

test('whoever leaves stops waiting; the call is aborted once all have left', async () => {
  const coalesce = createCoalesce()
  const { promise } = Promise.withResolvers<unknown>()
  const [first, second] = [new AbortController(), new AbortController()]
  let given: AbortSignal | undefined
  const ask = (signal: AbortSignal) => {
    given = signal
    return promise
  }
  const both = [coalesce('a', first.signal, ask), coalesce('a', second.signal, ask)]
  first.abort()
  await expect(both[0]).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(given?.aborted).toBe(false)
  second.abort()
  await expect(both[1]).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(given?.aborted).toBe(true)
  const third = coalesce('a', never, async () => 'anew')
  expect(await third).toBe('anew')
  await expect(coalesce('a', first.signal, ask)).rejects.toMatchObject({ code: 'CANCELLED' })
})

import { expect, test } from 'vitest'
import { createCoalesce } from './single-flight.ts'

const never = new AbortController().signal

test('equal calls under way share one, later ones start a new call', async () => {
  const coalesce = createCoalesce()
  const { promise, resolve } = Promise.withResolvers<unknown>()
  let calls = 0
  const start = async () => {
    calls += 1
    return await promise
  }
  const both = [coalesce('a', never, start), coalesce('a', never, start), coalesce('b', never, start)]
  resolve('result')
  expect(await Promise.all(both)).toEqual(['result', 'result', 'result'])
  expect(calls).toBe(2)
  await coalesce('a', never, start)
  expect(calls).toBe(3)
})

test('a failure is shared and not remembered', async () => {
  const coalesce = createCoalesce()
  let calls = 0
  const start = async () => {
    calls += 1
    throw new Error(`failure ${calls}`)
  }
  const both = await Promise.allSettled([coalesce('a', never, start), coalesce('a', never, start)])
  expect(both.map((each) => each.status === 'rejected' && each.reason.message)).toEqual(['failure 1', 'failure 1'])
  await expect(coalesce('a', never, start)).rejects.toThrow('failure 2')
})

test('a cancelled caller stops waiting; the call is aborted once all are cancelled', async () => {
  const coalesce = createCoalesce()
  const { promise } = Promise.withResolvers<unknown>()
  const [first, second] = [new AbortController(), new AbortController()]
  let given: AbortSignal | undefined
  const start = (signal: AbortSignal) => {
    given = signal
    return promise
  }
  const both = [coalesce('a', first.signal, start), coalesce('a', second.signal, start)]
  first.abort()
  await expect(both[0]).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(given?.aborted).toBe(false)
  second.abort()
  await expect(both[1]).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(given?.aborted).toBe(true)
  const third = coalesce('a', never, async () => 'anew')
  expect(await third).toBe('anew')
  await expect(coalesce('a', first.signal, start)).rejects.toMatchObject({ code: 'CANCELLED' })
})

import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { timeLimit } from './time-limit.ts'

test('aborts in time, with the reason of a timeout', async () => {
  const signal = AbortSignal.any([timeLimit(20)])
  expect(signal.aborted).toBe(false)
  await sleep(60)
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
})

test('derived signals are freed when its time is over', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const caller = new AbortController()
  const kept = Array.from({ length: 100 }, () => {
    const asked = AbortSignal.any([caller.signal, timeLimit(20)])
    return new WeakRef(AbortSignal.any([asked, timeLimit(20)]) && asked)
  })
  await sleep(200)
  collectGarbage()
  await sleep(50)
  collectGarbage()
  // The stack may hold one or two for a while.
  expect(kept.filter((one) => one.deref() !== undefined).length).toBeLessThan(10)
})

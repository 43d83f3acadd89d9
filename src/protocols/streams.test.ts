import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test, vi } from 'vitest'
import { untilAborted } from '../domain/core/until-aborted.ts'
import { readInTime } from './streams.ts'

/** An endless stream of events, and whether it was closed. */
function endless() {
  const source = { made: 0, ended: false, events: numbers() }
  async function* numbers(): AsyncGenerator<number, void, undefined> {
    try {
      for (;;) yield ++source.made
    } finally {
      source.ended = true
    }
  }
  return source
}

test('a stream retains no event that its reader has received', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const had: WeakRef<object>[] = []
  async function* made() {
    for (let number = 0; number < 100; number += 1) yield { number }
  }
  const events = untilAborted(made(), new AbortController().signal)
  for (let count = 0; count < 50; count += 1) had.push(new WeakRef((await events.next()).value ?? {}))
  await sleep(1) // a weak reference that was read lives until the end of the event loop's turn
  collect()
  expect(had.filter((event) => event.deref() !== undefined).length).toBeLessThan(3)
  await events.return()
})

test('a pending event is abandoned when the signal aborts, and its failure ignored', async () => {
  const leaving = new AbortController()
  const failing = Promise.withResolvers<never>()
  async function* made() {
    yield 1
    await failing.promise
  }
  const events = untilAborted(made(), leaving.signal)
  expect(await events.next()).toEqual({ done: false, value: 1 })
  const pending = events.next()
  leaving.abort()
  expect(await pending).toEqual({ done: true, value: undefined })
  failing.reject(new Error('nobody hears this'))
  await sleep(1)
})

test('a reader that reads in time receives every event, however slow the events are', async () => {
  const cut = vi.fn()
  const slowly = (async function* () {
    for (const event of [1, 2, 3]) {
      await sleep(30)
      yield event
    }
  })()
  expect(await Array.fromAsync(readInTime(slowly, { timeoutMs: 20, disconnect: cut }))).toEqual([1, 2, 3])
  await sleep(60)
  expect(cut).not.toHaveBeenCalled()
})

test('a reader that reads too late receives an error, and nothing waited for it', async () => {
  const source = endless()
  const events = readInTime(source.events, { timeoutMs: 100, disconnect: () => undefined })
  expect(await events.next()).toEqual({ done: false, value: 1 })
  await expect.poll(() => source.ended).toBe(true)
  await expect(events.next()).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  expect(source.made).toBe(1)
})

test('a reader that stops reading is disconnected', async () => {
  const cut = vi.fn()
  const source = endless()
  await readInTime(source.events, { timeoutMs: 10, disconnect: cut }).next()
  await expect.poll(() => cut.mock.calls.length).toBe(1)
  expect(source.ended).toBe(true)
})

test('a reader that disconnects ends the events immediately', async () => {
  const cut = vi.fn()
  const source = endless()
  const events = readInTime(source.events, { timeoutMs: 10, disconnect: cut })
  await events.next()
  await events.return()
  expect(source.ended).toBe(true)
  await sleep(40)
  expect(cut).not.toHaveBeenCalled()
})

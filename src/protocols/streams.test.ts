import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { readInTime } from './streams.ts'

/** Events without end, and whether they were ended. */
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

test('a reader that asks in time gets every event, however long they take to come', async () => {
  const cut = vi.fn()
  const slowly = (async function* () {
    for (const event of [1, 2, 3]) {
      await sleep(30)
      yield event
    }
  })()
  expect(await Array.fromAsync(readInTime(slowly, { milliseconds: 20, cut }))).toEqual([1, 2, 3])
  await sleep(60)
  expect(cut).not.toHaveBeenCalled()
})

test('a reader that asks too late is told so, and nothing waited for it', async () => {
  const source = endless()
  const events = readInTime(source.events, { milliseconds: 100, cut: () => undefined })
  expect(await events.next()).toEqual({ done: false, value: 1 })
  await expect.poll(() => source.ended).toBe(true)
  await expect(events.next()).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  expect(source.made).toBe(1)
})

test('a reader that asks no more at all is cut', async () => {
  const cut = vi.fn()
  const source = endless()
  await readInTime(source.events, { milliseconds: 10, cut }).next()
  await expect.poll(() => cut.mock.calls.length).toBe(1)
  expect(source.ended).toBe(true)
})

test('a reader that leaves ends the events at once', async () => {
  const cut = vi.fn()
  const source = endless()
  const events = readInTime(source.events, { milliseconds: 10, cut })
  await events.next()
  await events.return()
  expect(source.ended).toBe(true)
  await sleep(40)
  expect(cut).not.toHaveBeenCalled()
})

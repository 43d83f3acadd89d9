import { expect, test } from 'vitest'
import { boundedWrites } from './exchange.ts'

/** A call whose reader reads messages one by one, on request. */
function reader() {
  const waiting: (() => void)[] = []
  return {
    call: { write: (_chunk: Buffer, taken: () => void) => waiting.push(taken) > 0 },
    waiting,
    take: () => waiting.shift()?.(),
  }
}

/** Whether a promise has settled by now. */
async function settled(promise: Promise<void> | null): Promise<boolean> {
  const open = Symbol('open')
  return (await Promise.race([promise, Promise.resolve(open)])) !== open
}

test('small messages are written together, and half of the bytes may still be buffered when there is room again', async () => {
  const { call, waiting, take } = reader()
  const outgoing = boundedWrites(call)
  for (let count = 0; count < 15; count += 1) expect(outgoing.write(Buffer.alloc(1_024))).toBeNull()
  const full = outgoing.write(Buffer.alloc(1_024))
  for (let count = 0; count < 7; count += 1) take()
  expect(await settled(full)).toBe(false)
  take()
  expect([await settled(full), waiting.length]).toEqual([true, 8])
  expect(outgoing.write(Buffer.alloc(1_024))).toBeNull()
})

test('a large message is written alone, and the end waits for all', async () => {
  const { call, take } = reader()
  const outgoing = boundedWrites(call)
  expect(await settled(outgoing.drained())).toBe(true)
  const full = outgoing.write(Buffer.alloc(1_000_000))
  const all = outgoing.drained()
  expect([await settled(full), await settled(all)]).toEqual([false, false])
  take()
  expect([await settled(all)]).toEqual([true])
})

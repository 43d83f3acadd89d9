import { expect, test } from 'vitest'
import { DomainError } from '../core/errors.ts'
import type { Chain, Head } from '../ports/chains.ts'
import { newBlocks, type Priced, prices } from './watch-quote.ts'

const headOf = (number: number): Head => ({ number: BigInt(number), hash: `0x${number}`, timestamp: 0n }) as Head
const pricedAt = (number: number) => ({ event: { block_number: number }, block: headOf(number) }) as unknown as Priced
const down = new DomainError('UNAVAILABLE', 'The node does not respond.')

/** A stream over blocks that the test makes; `answers` are the prices in turn, or their failures. */
function stream(answers: (Priced | Error)[]) {
  const listeners = new Set<(head: Head) => void>()
  const over = new AbortController()
  const chain = {
    onBlock: (listener: (head: Head) => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  } as unknown as Chain
  const price = async () => {
    const answer = answers.shift()
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error('no more prices')
    return answer
  }
  const events = prices(newBlocks(chain, over.signal), { first: pricedAt(1), price }, over.signal)
  const next = async () => (await events.next()).value?.block_number
  const block = (number: number) => {
    for (const listener of listeners) listener(headOf(number))
  }
  return { events, next, block, over, listeners }
}

test('a slow reader gets the newest block alone, and no block twice', async () => {
  const { next, block, listeners, over } = stream([pricedAt(4), pricedAt(5)])
  expect(await next()).toBe(1)
  for (const number of [1, 2, 3, 4]) block(number)
  expect(await next()).toBe(4)
  const waiting = next()
  block(4)
  await Promise.resolve()
  block(5)
  expect(await waiting).toBe(5)
  const last = next()
  over.abort()
  expect(await last).toBe(undefined)
  expect(listeners.size).toBe(0)
})

test('a block whose price cannot be read is skipped; the third in a row ends the stream with the error', async () => {
  const { next, block, listeners } = stream([down, down, pricedAt(4), down, down, down])
  expect(await next()).toBe(1)
  let waiting = next()
  for (const number of [2, 3, 4]) {
    block(number)
    await new Promise(setImmediate)
  }
  expect(await waiting).toBe(4)
  waiting = next()
  waiting.catch(() => undefined)
  for (const number of [5, 6, 7]) {
    block(number)
    await new Promise(setImmediate)
  }
  await expect(waiting).rejects.toBe(down)
  expect(listeners.size).toBe(0)
})

test('a swap that no pool fills any more ends the stream at once', async () => {
  const unfilled = new DomainError('FAILED_PRECONDITION', 'No pool fills it.')
  const { next, block } = stream([unfilled])
  await next()
  const waiting = next()
  block(2)
  await expect(waiting).rejects.toBe(unfilled)
})

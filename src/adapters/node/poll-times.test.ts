import { expect, test } from 'vitest'
import { createPollTimes } from './poll-times.ts'

/** Reads a chain whose blocks become readable at these milliseconds, for that long; returns the reads and the delays of the blocks. */
function follow(arrivals: readonly number[], timestamps: readonly number[], pollMs = 1_000) {
  let time = 0
  const times = createPollTimes(pollMs, { now: () => time })
  let reads = 0
  let known = -1
  const late: number[] = []
  while (time < (arrivals.at(-1) ?? 0)) {
    reads += 1
    const newest = arrivals.findLastIndex((at) => at <= time)
    for (; known < newest; known += 1) late.push(time - (arrivals[known + 1] ?? 0))
    if (newest >= 0) times.saw(BigInt(newest), timestamps[newest] ?? 0)
    time += times.nextMs()
  }
  return { readsPerBlock: reads / arrivals.length, latest: Math.max(...late.slice(50)) }
}

const blocks = Array.from({ length: 400 }, (_, index) => index)

test('a regular chain is read about once a block, and no block is told late', () => {
  const { readsPerBlock, latest } = follow(
    blocks.map((index) => index * 2_000 + 130 + ((index * 37) % 40)),
    blocks.map((index) => index * 2),
  )
  expect(readsPerBlock).toBeLessThan(1.5)
  expect(latest).toBeLessThanOrEqual(500)
})

test('one with longer intervals too, and a missed block changes nothing', () => {
  const at = blocks.map((index) => index * 12 + (index > 200 ? 12 : 0))
  const { readsPerBlock, latest } = follow(
    at.map((seconds) => seconds * 1_000 + 300),
    at,
  )
  expect(readsPerBlock).toBeLessThan(2)
  expect(latest).toBeLessThanOrEqual(1_000)
})

test('an irregular chain is read every second', () => {
  const at = blocks.map((index) => index * 5 + ((index * 7) % 5))
  const { latest } = follow(
    at.map((seconds) => seconds * 1_000),
    at,
  )
  expect(latest).toBeLessThanOrEqual(1_000)
})

test('a chain that is faster than the reads is read at their pace', () => {
  const times = createPollTimes(1_000)
  for (let number = 0n; number < 40n; number += 4n) times.saw(number, Number(number / 4n))
  expect(times.nextMs()).toBe(1_000)
})

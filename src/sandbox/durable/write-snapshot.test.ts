import { expect, test } from 'vitest'
import type { Chain } from './chain.ts'
import { createUpkeep, usualLimits } from './upkeep.ts'
import { writeSnapshot } from './write-snapshot.ts'

test('a state too long to be read again replaces nothing', async () => {
  const state = Buffer.alloc(64)
  state.writeUInt32LE(2 ** 29, 60)
  const never = () => {
    throw new Error('nothing else may be touched')
  }
  const engine = { call: async () => `0x${state.toString('hex')}` }
  const options = { engine, log: { flush: async () => undefined, close: never }, store: { sync: never } }
  await expect(
    writeSnapshot({ ...options, onSegment: never, emit: never, pending: new Map() } as never),
  ).rejects.toThrow(/too long to be kept: 536870912 bytes/)
})

test('a snapshot that failed is tried again later, not at every block', async () => {
  let steps = 10
  let tried = 0
  const chain = {
    tail: () => ({ steps, milliseconds: 0 }),
    carried: () => 0,
    memory: async () => 0,
    snapshot: async () => {
      tried += 1
      throw new Error('too long')
    },
  } as Partial<Chain> as Chain
  const upkeep = createUpkeep(chain, () => undefined, { ...usualLimits, tail: 10 })
  for (; steps < 30; steps += 1) await upkeep()
  expect(tried).toBe(4) // at 10, 15, 20 and 25
})

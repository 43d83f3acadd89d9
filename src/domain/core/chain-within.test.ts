import { expect, test } from 'vitest'
import type { Chain, Hex, TransactionCall } from '../ports/chains.ts'
import { chainWithin } from './chain-within.ts'

const call: TransactionCall = { to: '0x01', data: '0x', value: 0n }
const hash: Hex = '0xaa'
const chain = {
  info: { id: 1, name: 'slow' },
  knows: async () => true,
  receipt: () => new Promise<never>(() => {}),
  blockHash: async () => {
    throw new Error('of its own')
  },
  revocation: (approval: TransactionCall) => approval,
} as unknown as Chain

test('A chain answers the same while there is time', async () => {
  const timed = chainWithin(chain, new AbortController().signal)
  expect(timed.info).toBe(chain.info)
  expect(await timed.knows(hash)).toBe(true)
  expect(timed.revocation(call)).toBe(call)
  await expect(timed.blockHash(1n)).rejects.toThrow('of its own')
})

test('Once the time is up the question that hangs rejects, and so does each after it', async () => {
  const time = new AbortController()
  const timed = chainWithin(chain, time.signal)
  const hanging = timed.receipt(hash)
  time.abort()
  await expect(hanging).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  await expect((async () => await timed.knows(hash))()).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
})

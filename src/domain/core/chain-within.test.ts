import { expect, test } from 'vitest'
import type { Chain, Hex, Token, TransactionCall } from '../ports/chains.ts'
import { currentPrice } from '../values/prices.ts'
import { chainWithin } from './chain-within.ts'

const call: TransactionCall = { to: '0x01', data: '0x', value: 0n }
const hash: Hex = '0xaa'
const chain = {
  info: { id: 1, name: 'slow' },
  knows: async () => true,
  receipt: () => new Promise<never>(() => {}),
  blockHash: async () => {
    throw new Error('no such block')
  },
  revocation: (approval: TransactionCall) => approval,
} as unknown as Chain

test('A chain returns the same while there is time', async () => {
  const timed = chainWithin(chain, new AbortController().signal)
  expect(timed.info).toBe(chain.info)
  expect(await timed.knows(hash)).toBe(true)
  expect(timed.revocation(call)).toBe(call)
  await expect(timed.blockHash(1n)).rejects.toThrow('no such block')
})

test('Once the time is up the read that hangs rejects, and so does each after it', async () => {
  const time = new AbortController()
  const timed = chainWithin(chain, time.signal)
  const hanging = timed.receipt(hash)
  time.abort()
  await expect(hanging).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  await expect(timed.knows(hash)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  expect(timed.revocation(call)).toBe(call)
})

test('Of concurrent reads after the time is up none is left unhandled, which would end the process', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  const feed = { ...chain, price: async () => null, head: async () => null } as unknown as Chain
  const timed = chainWithin(feed, AbortSignal.abort())
  const token = { usdFeed: 'ETH/USD' } as Token
  await expect(currentPrice(timed, token)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

import { expect, test } from 'vitest'
import { DomainError } from '../core/errors.ts'
import { txpoolContentFrom, txpoolInspect } from './pool.ts'

/** Shows a pool of accounts with so many transactions each. */
async function shown(accounts: number, each: number) {
  const own = Object.fromEntries(Array.from({ length: each }, (_, nonce) => [nonce, 'a text']))
  const part = Object.fromEntries(Array.from({ length: accounts }, (_, account) => [`0x${account}`, own]))
  let gas = 0
  const call = {
    signal: new AbortController().signal,
    keyOrAddress: 'someone',
    spent: (more: number) => {
      gas += more
    },
    fail: (...parts: never) => new DomainError(...(parts as [never, never])),
  } as never
  const pool = { pending: part, queued: {} }
  const all = await txpoolInspect({ node: { request: async () => pool } } as never, {}, call).catch((error) => error)
  const ofAll = gas
  gas = 0
  const ofOne = { pending: {}, queued: own }
  const node = { request: async (_: string, params: unknown[]) => (params[0] === '0x1' ? ofOne : pool) }
  const one = await txpoolContentFrom({ node } as never, { address: '0x1' }, call).catch((error) => error)
  return { pool, all, ofAll, ofOne, one, gas }
}

test('what is shown of a pool counts by its transactions', async () => {
  const { pool, all, ofAll, ofOne, one, gas } = await shown(20, 10)
  expect([all, ofAll]).toEqual([pool, 2_000_000])
  expect([one, gas]).toEqual([ofOne, 100_000])
})

test('more than 10,000 transactions are not shown, and count all the same', async () => {
  expect((await shown(100, 100)).all).toHaveProperty('pending')
  const { all, ofAll } = await shown(101, 100)
  expect(all).toMatchObject({ code: 'LIMIT_EXCEEDED', details: { metadata: { limit: '10000' } } })
  expect(all.message).toContain('10100 transactions')
  expect(ofAll).toBe(101_000_000)
})

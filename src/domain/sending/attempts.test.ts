import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Chain, Fees } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Outgoing } from '../ports/outbox.ts'
import { isStuck, mayRaise, raised, signNext } from './attempts.ts'

const fee = fc.bigInt(1n, 10n ** 13n)
const fees = fc.tuple(fee, fee).map(([tip, more]) => ({ maxFeePerGas: tip + more, maxPriorityFeePerGas: tip }))

test('raised fees replace the last ones at every node, follow the chain, and stay within the ceiling', () => {
  fc.assert(
    fc.property(fees, fees, fc.bigInt(2n, 20n), (last, market, times) => {
      const ceiling = last.maxFeePerGas * times
      const next = raised(last, market, ceiling)
      expect(next.maxFeePerGas * 8n).toBeGreaterThan(last.maxFeePerGas * 9n - 8n)
      expect(next.maxPriorityFeePerGas! * 8n).toBeGreaterThan(last.maxPriorityFeePerGas * 9n - 8n)
      expect(next.maxFeePerGas).toBeGreaterThanOrEqual(next.maxPriorityFeePerGas!)
      expect(next.maxFeePerGas >= market.maxFeePerGas || next.maxFeePerGas >= ceiling).toBe(true)
      expect(next.maxFeePerGas <= ceiling || next.maxFeePerGas === (last.maxFeePerGas * 9n) / 8n + 1n).toBe(true)
    }),
  )
})

test('raising ends: at most ten times what the first attempt offered', () => {
  const market = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }
  const first = { maxFeePerGas: 1_000n, maxPriorityFeePerGas: 10n }
  const attempts = [
    { purpose: 'leg', raw: '0x', hash: '0x', fees: first, offeredAt: 5n },
  ] as Outgoing['attempts'][number][]
  const leg = { attempts } as unknown as Outgoing
  while (mayRaise(leg, null)) attempts.push({ ...attempts[0]!, fees: raised(attempts.at(-1)!.fees, market, 10_000n) })
  expect(attempts.length).toBeGreaterThan(10)
  expect(attempts.at(-1)!.fees.maxFeePerGas).toBeLessThanOrEqual(10_001n)
})

test('an attempt is stuck three blocks after a node had it, and never before one had', () => {
  const leg = (offeredAt: bigint | null) => ({ attempts: [{ offeredAt }] }) as unknown as Outgoing
  expect([7n, 8n].map((head) => isStuck(leg(5n), head))).toEqual([false, true])
  expect(isStuck(leg(null), 100n)).toBe(false)
})

test('a legacy attempt is replaced by a legacy one, also where the chain has got base fees since', () => {
  const legacy = { maxFeePerGas: 80n, maxPriorityFeePerGas: null }
  const replaced = { maxFeePerGas: 91n, maxPriorityFeePerGas: null }
  expect(raised(legacy, { maxFeePerGas: 10n, maxPriorityFeePerGas: null }, 800n)).toEqual(replaced)
  expect(raised(legacy, { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n }, 800n)).toEqual(replaced)
})

test('no attempt offers more than the gateway pays for a unit of gas, neither the first nor a later one', async () => {
  const signer = { sign: async () => ({ raw: '0x', hash: '0x' }) } as unknown as Ports['signer']
  const chain = (market: Fees) => ({ fees: async () => market }) as unknown as Chain
  const market = { maxFeePerGas: 110n, maxPriorityFeePerGas: 10n } // a block takes 60
  const leg = (...offers: Fees[]) => {
    const attempts = offers.map((offered) => ({ fees: offered }))
    return { id: 1, nonce: 0, state: 'reserved', call: {}, gas: 1n, attempts } as unknown as Outgoing
  }
  const next = async (one: Outgoing, most: bigint | null) => {
    const signed = await signNext(signer, chain(market), one, [one], 'leg', most)
    return 'unusable' in signed ? signed.unusable : signed.change.attempt?.fees
  }
  expect(await next(leg(), null)).toEqual(market)
  expect(await next(leg(), 60n)).toEqual({ maxFeePerGas: 60n, maxPriorityFeePerGas: 10n })
  expect(await next(leg(), 59n)).toMatch(/takes 0.00000006 gwei .* at most 0.000000059 \(MAX_FEE_GWEI\)/)
  const low = leg({ maxFeePerGas: 50n, maxPriorityFeePerGas: 5n })
  expect([mayRaise(low, 60n), await next(low, 60n)]).toEqual([true, { maxFeePerGas: 60n, maxPriorityFeePerGas: 10n }])
  expect([mayRaise(low, 56n), await next(low, 56n)]).toEqual([false, expect.stringContaining('MAX_FEE_GWEI')])
})

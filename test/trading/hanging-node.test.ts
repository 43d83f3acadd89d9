import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseReference } from '../../src/domain/core/reference.ts'
import type { Chain } from '../../src/domain/ports/chains.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { chainsWith } from './broken.ts'
import type { Person } from './orders.ts'
import { traderOf } from './public-trader.ts'
import { allowanceOf, openTradingWorld, type TradingWorld } from './world.ts'

let world: TradingWorld
let ada: Person

beforeAll(async () => {
  world = await openTradingWorld()
  ada = await world.person()
})
afterAll(async () => await world.close())

test('a node that hangs when a revert reason is requested delays neither the revocation nor the next trade', async () => {
  const trader = traderOf(world, ada)
  // The minimum of the trade is more than any pool can pay, which only the chain notices.
  let greedy = true
  const hang = (chain: Chain): Partial<Chain> => ({
    swapLegs: (plan) => chain.swapLegs(greedy ? { ...plan, minimumOut: plan.amountIn * 10n ** 30n } : plan),
    revertReason: () => new Promise(() => undefined),
  })
  await world.breakAt((ports) => ({ chains: chainsWith(ports, hang) }))
  await world.resume()
  const answer = trader.execute('0.02')
  await until(async () => (await trader.newest())?.basis != null, 'the reverted swap to be noticed')
  expect(await answer).toMatchObject({ status: 'failed', message: expect.stringContaining('reason is not known') })
  const { id } = (await trader.newest())!
  const revoked = async () =>
    (await world.ports.outbox.byReference(parseReference(`revoke:${id}`)))[0]?.outcome === 'success'
  await until(revoked, 'the approval to be taken back')
  expect(await allowanceOf(world, (await trader.legs(id))[0]!)).toBe(0n)
  greedy = false
  expect(await trader.execute('0.01')).toMatchObject({ status: 'success' })
})

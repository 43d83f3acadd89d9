import { parseTransaction } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Chain } from '../../src/domain/ports/chains.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { chainsWith } from './broken.ts'
import { traderOf } from './public-trader.ts'
import { openPublicTradingWorld, type PublicTradingWorld } from './public-world.ts'

let world: PublicTradingWorld

beforeAll(async () => {
  world = await openPublicTradingWorld(['--hardfork', 'berlin'])
})
afterAll(async () => await world?.close())

test('a chain without base fees trades by legacy transactions, and a stuck one is replaced by a dearer one', async () => {
  await world.anvil.mine()
  expect(await world.anvil.call('eth_getBlockByNumber', 'latest', false)).not.toHaveProperty('baseFeePerGas')
  const trader = traderOf(world, await world.person())
  await world.anvil.call('evm_setIntervalMining', 0)
  const answer = trader.execute('0.02')
  await until(async () => (await trader.newest())?.state === 'broadcast', 'the send')
  const { id } = (await trader.newest())!
  const later = (chain: Chain): Partial<Chain> => ({
    head: async () => {
      const head = await chain.head()
      return { ...head, number: head.number + 3n }
    },
  })
  await world.breakAt((ports) => ({ chains: chainsWith(ports, later) }))
  await world.resume()
  await until(async () => ((await trader.legs(id))[0]?.attempts.length ?? 0) > 1, 'a second attempt')
  await world.restart()
  await world.anvil.call('evm_setIntervalMining', 1)
  expect(await answer).toMatchObject({ status: 'success' })
  const attempts = (await trader.legs(id)).flatMap((leg) => leg.attempts)
  expect(attempts.length).toBeGreaterThan(2)
  for (const { raw, fees } of attempts)
    expect([parseTransaction(raw), fees]).toMatchObject([
      { type: 'legacy', gasPrice: fees.maxFeePerGas },
      { maxPriorityFeePerGas: null },
    ])
  const [first, second] = attempts
  expect(second!.fees.maxFeePerGas * 8n).toBeGreaterThan(first!.fees.maxFeePerGas * 9n)
  await trader.expectTrueBooks()
})

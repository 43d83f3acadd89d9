import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { traderOf } from './public-trader.ts'
import { openPublicTradingWorld, type PublicTradingWorld } from './public-world.ts'

let world: PublicTradingWorld

beforeAll(async () => {
  world = await openPublicTradingWorld()
})
afterEach(async () => {
  world.settings.maxFeePerGas = null
  await world.anvil.call('evm_setIntervalMining', 1)
})
afterAll(async () => await world?.close())

test('a trade is refused before it has a nonce while a block takes more for gas than the gateway pays', async () => {
  const person = await world.person()
  const trader = traderOf(world, person)
  world.settings.maxFeePerGas = 1n
  const { status, message } = await trader.execute('0.02')
  expect([status, message]).toEqual([
    'rejected',
    expect.stringMatching(/^Nothing was traded. The chain takes [\d.]+ gwei .* at most 0.000000001 \(MAX_FEE_GWEI\)/),
  ])
  expect(await world.chain.nonce(person.address, 'pending')).toBe(0)
  expect(await world.ports.outbox.takenNonces(world.chain.info.id, person.address, 0)).toEqual([])
})

test('a stuck transaction is raised up to what the gateway pays and no further', async () => {
  const trader = traderOf(world, await world.person())
  await world.anvil.call('evm_setIntervalMining', 0)
  const answer = trader.execute('0.02')
  await until(async () => (await trader.newest())?.state === 'broadcast', 'the send')
  const { id } = (await trader.newest())!
  const offers = async () => (await trader.legs(id))[0]!.attempts.map(({ fees }) => fees.maxFeePerGas)
  const [first] = await offers()
  const most = (first! * 13n) / 10n
  world.settings.maxFeePerGas = most
  const wait = async () => {
    await world.anvil.call('anvil_setNextBlockBaseFeePerGas', `0x${(first! * 20n).toString(16)}`)
    await world.anvil.mine()
  }
  const isRaised = async () => {
    await wait()
    return (await offers()).length > 1
  }
  await until(isRaised, 'a second attempt')
  for (let block = 0; block < 8; block += 1) {
    await wait()
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  expect((await offers()).slice(1)).toEqual([most])
  await world.anvil.call('anvil_setNextBlockBaseFeePerGas', '0x1')
  await world.anvil.call('evm_setIntervalMining', 1)
  expect(await answer).toMatchObject({ status: 'success' })
  await trader.expectTrueBooks()
})

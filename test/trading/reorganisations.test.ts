import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import type { Answer, Person } from './orders.ts'
import { traderOf } from './public-trader.ts'
import { openPublicTradingWorld, type PublicTradingWorld } from './public-world.ts'

let world: PublicTradingWorld
let ada: Person
let trader: ReturnType<typeof traderOf>

beforeAll(async () => {
  world = await openPublicTradingWorld()
  ada = await world.person()
  trader = traderOf(world, ada)
})
afterAll(async () => await world.close())

/** Replaces the transaction's block and all later ones. */
async function takeOut(hash: `0x${string}`): Promise<void> {
  const { blockNumber } = (await world.chain.receipt(hash))!
  const { number } = await world.chain.head()
  await world.anvil.call('anvil_reorg', Number(number - blockNumber) + 1, [])
}

test('a trade whose block is reorganised is sent again, and is booked once', async () => {
  const output = await trader.execute('0.02')
  expect(output.status).toBe('success')
  await trader.expectTrueBooks()
  await world.anvil.call('evm_setIntervalMining', 0)
  await takeOut(output.tx_hash)
  expect(await world.chain.receipt(output.tx_hash)).toBeNull()
  await world.anvil.call('evm_setIntervalMining', 1)
  const back = async () =>
    (await trader.statesOf(output.execution_id)).filter((state) => state === 'included').length === 2
  await until(back, 'the trade to be mined again')
  expect(await trader.statesOf(output.execution_id)).toEqual([
    ...['requested', 'simulated', 'reserved', 'signed', 'broadcast', 'included', 'reorganised'],
    // If it took long enough to count as stuck, it was sent again with a higher fee.
    ...[expect.stringMatching(/^(broadcast|replaced)$/), 'included'],
  ])
  const again = await world.call<Answer>('trading.getExecution', ada.userId, {
    execution_id: output.execution_id,
  })
  expect(again.output).toMatchObject({ status: 'success', finality: 'unsafe', fill: { finality: 'unsafe' } })
  await trader.expectTrueBooks()
})

test('a trade that is too old to be sent again is removed from the books, and its nonces are cancelled', async () => {
  const output = await trader.execute('0.02')
  expect(output.status).toBe('success')
  const nonce = await world.chain.nonce(ada.address, 'latest')
  await world.anvil.call('evm_setIntervalMining', 0)
  // Nothing broadcasts it again between its loss and the block that makes it expire.
  await world.breakAt(() => ({}))
  await takeOut(output.tx_hash)
  await world.anvil.call('anvil_dropAllTransactions')
  await world.anvil.call('evm_increaseTime', 400)
  await world.anvil.mine()
  await world.restart()
  await world.anvil.call('evm_setIntervalMining', 1)
  const decided = async () => {
    const { state, message } = await trader.load(output.execution_id)
    return state === 'included' && message.includes('deadline')
  }
  await until(decided, 'the trade to be given up')
  const { output: shown } = await world.call<Answer>('trading.getExecution', ada.userId, {
    execution_id: output.execution_id,
  })
  expect(shown).toMatchObject({ status: 'failed', state: 'included' })
  expect(shown).not.toHaveProperty('fill')
  const [approval, swap] = await trader.legs(output.execution_id)
  expect(swap).toMatchObject({ outcome: 'cancelled' })
  // An approval has no deadline: one that was broadcast again before the trade was given up may be mined.
  expect(['cancelled', 'success']).toContain(approval?.outcome)
  expect(await world.chain.nonce(ada.address, 'pending')).toBe(nonce)
  await trader.expectTrueBooks()
})

test('the watch reports that blocks become safe and final', async () => {
  const output = await trader.execute('0.03')
  const watch = { execution_id: output.execution_id, until: 'finalized', last_event_id: `${output.execution_id}:5` }
  const stream = await world.call<AsyncIterable<{ id: string; state: string; finality: string }>>(
    'trading.watchExecution',
    ada.userId,
    watch,
  )
  await world.anvil.call('anvil_mine', '0x80')
  const events: { id: string; state: string; finality: string }[] = []
  for await (const event of stream.output) events.push(event)
  expect(events.map(({ id, state, finality }) => [id.split(':')[1], state, finality])).toEqual([
    ['6', 'included', 'unsafe'],
    ['7', 'safe', 'safe'],
    ['8', 'finalized', 'finalized'],
  ])
  expect(await trader.load(output.execution_id)).toMatchObject({ state: 'finalized', message: output.message })
})

import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { DomainError } from '../../src/domain/core/errors.ts'
import type { Chain } from '../../src/domain/ports/chains.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { isLong } from '../sized.ts'
import { chainsWith } from './broken.ts'
import type { Person } from './orders.ts'
import { traderOf } from './public-trader.ts'
import { openPublicTradingWorld, type PublicTradingWorld } from './public-world.ts'
import { allowanceOf } from './world.ts'

let opened: Promise<PublicTradingWorld> | null = null
let world: PublicTradingWorld
let ada: Person
let trader: ReturnType<typeof traderOf>

beforeEach(async () => {
  opened ??= openPublicTradingWorld()
  world = await opened
  await world.anvil.call('evm_setIntervalMining', 1)
  ada = await world.person()
  trader = traderOf(world, ada)
})
afterAll(async () => await (await opened)?.close())

const pause = () => world.anvil.call('evm_setIntervalMining', 0)
const go = () => world.anvil.call('evm_setIntervalMining', 1)
const isIn = (state: string) => async () => (await trader.newest())?.state === state
const nonce = (at: 'latest' | 'pending') => world.chain.nonce(ada.address, at)

/** A trade whose transactions are pending at a node that does not mine. */
async function waiting(amount: string) {
  await pause()
  const answer = trader.execute(amount)
  await until(isIn('broadcast'), 'the send')
  const { id } = (await trader.newest())!
  return { id, answer }
}

describe('a transaction that is not mined', () => {
  test('is sent again with higher fees and the same nonce, and the mined attempt settles the trade', async () => {
    const { id, answer } = await waiting('0.02')
    const [first] = (await trader.legs(id))[0]!.attempts
    await world.anvil.call('anvil_setNextBlockBaseFeePerGas', `0x${(first!.fees.maxFeePerGas * 2n).toString(16)}`)
    await go()
    expect(await answer).toMatchObject({ status: 'success' })
    expect(await trader.statesOf(id)).toContain('replaced')
    const legs = await trader.legs(id)
    for (const [index, leg] of legs.entries()) {
      expect(leg).toMatchObject({ nonce: index, outcome: 'success' })
      for (const [number, { fees }] of leg.attempts.slice(1).entries()) {
        const before = leg.attempts[number]!.fees
        expect(fees.maxFeePerGas * 8n).toBeGreaterThan(before.maxFeePerGas * 9n)
        expect(fees.maxPriorityFeePerGas! * 8n).toBeGreaterThanOrEqual(before.maxPriorityFeePerGas! * 9n)
      }
    }
    expect(legs.some(({ attempts }) => attempts.length > 1)).toBe(true)
    expect(await nonce('pending')).toBe(2)
    expect(await trader.timelineOf(id)).toEqual(expect.arrayContaining(['signed', 'replaced', 'broadcast', 'included']))
    await trader.expectTrueBooks()
  })

  test('is also settled, once, by an earlier attempt', async () => {
    const { id, answer } = await waiting('0.02')
    const [leg] = await trader.legs(id)
    const tooMuch = `0x${(leg!.attempts[0]!.fees.maxFeePerGas * 20n).toString(16)}`
    const raised = async () => {
      await world.anvil.call('anvil_setNextBlockBaseFeePerGas', tooMuch)
      await world.anvil.mine()
      return ((await trader.legs(id))[0]?.attempts.length ?? 0) > 1
    }
    await until(raised, 'a second attempt')
    const dearer = (await trader.legs(id))[0]!
    // The process dies; the node loses the newer attempt and mines the older one.
    await world.breakAt(() => ({}))
    await world.anvil.call('anvil_dropAllTransactions')
    await world.anvil.call('anvil_setNextBlockBaseFeePerGas', '0x1')
    await world.anvil.mine()
    await world.anvil.call('eth_sendRawTransaction', dearer.attempts[0]!.raw)
    await world.anvil.mine()
    await world.restart()
    await go()
    expect(await answer).toMatchObject({ status: 'success' })
    expect((await trader.legs(id))[0]).toMatchObject({ hash: dearer.attempts[0]!.hash, outcome: 'success' })
    expect(await nonce('pending')).toBe(2)
    await trader.expectTrueBooks()
  })

  test('past its deadline is not resubmitted: its nonces are cancelled and no allowance is left', async () => {
    const { id, answer } = await waiting('0.02')
    // Nothing broadcasts them again between their loss and the block that makes them expire.
    await world.breakAt(() => ({}))
    await world.anvil.call('anvil_dropAllTransactions')
    await world.anvil.call('evm_increaseTime', 400)
    await world.anvil.mine()
    await world.restart()
    await go()
    expect(await answer).toMatchObject({ status: 'failed', message: expect.stringContaining('deadline') })
    expect(await trader.legs(id)).toMatchObject([{ outcome: 'cancelled' }, { outcome: 'cancelled' }])
    expect(await allowanceOf(world, (await trader.legs(id))[0]!)).toBe(0n)
    expect([await nonce('latest'), await nonce('pending')]).toEqual([2, 2])
    expect((await trader.timelineOf(id)).filter((step) => step === 'cancelled')).toHaveLength(2)
    await trader.expectTrueBooks()
    expect((await trader.execute('0.01')).status).toBe('success')
  })

  test('with a mined approval and a late swap revokes the approval with the nonce of the swap', async () => {
    const { id, answer } = await waiting('0.02')
    const [approve, swap] = await trader.legs(id)
    await world.breakAt(() => ({}))
    await world.anvil.call('anvil_dropTransaction', swap!.hash)
    await world.anvil.call('evm_increaseTime', 400)
    await world.anvil.mine()
    expect(await allowanceOf(world, approve!)).toBeGreaterThan(0n)
    await world.restart()
    await go()
    expect(await answer).toMatchObject({ status: 'failed' })
    expect(await trader.legs(id)).toMatchObject([{ outcome: 'success' }, { outcome: 'cancelled' }])
    expect(await allowanceOf(world, approve!)).toBe(0n)
    await trader.expectTrueBooks()
  })
})

test('a trade whose key is lost fails past its deadline where no node has it, and is not resubmitted', async () => {
  const { id, answer } = await waiting('0.02')
  const lost = async () => {
    throw new DomainError('FAILED_PRECONDITION', 'The key is lost.')
  }
  await world.breakAt((ports) => ({ signer: { ...ports.signer, sign: lost } }))
  await world.anvil.call('anvil_dropAllTransactions')
  await world.anvil.call('evm_increaseTime', 400)
  await world.anvil.mine()
  await world.resume()
  await go()
  expect(await answer).toMatchObject({ status: 'failed', message: expect.stringContaining('deadline') })
  expect(await trader.legs(id)).toMatchObject([
    { state: 'failed', nonce: null },
    { state: 'failed', nonce: null },
  ])
  expect([await nonce('latest'), await nonce('pending')]).toEqual([0, 0])
  await world.restart()
  expect((await trader.execute('0.01')).status).toBe('success')
})

test('a trade whose key is lost stays open while a node has it, with one message to caller and operator', async () => {
  const { id, answer } = await waiting('0.02')
  const lost = async () => {
    throw new DomainError('FAILED_PRECONDITION', 'The key is lost.')
  }
  let lookUps = 0
  const late = (chain: Chain): Partial<Chain> => ({
    head: async () => ({ ...(await chain.head()), timestamp: 2n ** 40n }),
    knows: async (hash) => {
      lookUps++
      return await chain.knows(hash)
    },
  })
  await world.breakAt((ports) => ({ signer: { ...ports.signer, sign: lost }, chains: chainsWith(ports, late) }))
  await world.resume()
  await until(async () => (await trader.load(id)).message.includes('The key is lost.'), 'the reason')
  expect(await trader.load(id)).toMatchObject({
    state: 'broadcast',
    message: expect.stringMatching(/abandoned and may still be mined.*The key is lost/),
  })
  const before = lookUps
  await world.resume() // which checks again
  await until(() => lookUps >= before + 2, 'a second look at both')
  const reported = world.failures.map(String).filter((failure) => failure.includes('cannot be cancelled'))
  expect(reported).toEqual([expect.stringMatching(new RegExp(`of ${ada.address} .*${id}.*The key is lost`))])
  await world.restart()
  await go()
  expect(await answer).toMatchObject({ status: 'failed', message: expect.stringContaining('before its deadline') })
  expect(await trader.legs(id)).toMatchObject([{ outcome: 'cancelled' }, { outcome: 'cancelled' }])
})

test('a finished trade whose key is lost no longer says that it may be mined', async () => {
  const { id, answer } = await waiting('0.02')
  const lost = async () => {
    throw new DomainError('FAILED_PRECONDITION', 'The key is lost.')
  }
  const late = (chain: Chain): Partial<Chain> => ({
    head: async () => ({ ...(await chain.head()), timestamp: 2n ** 40n }),
  })
  await world.breakAt((ports) => ({ signer: { ...ports.signer, sign: lost }, chains: chainsWith(ports, late) }))
  await world.resume()
  await until(async () => (await trader.load(id)).message.includes('may still be mined'), 'the reason')
  await world.anvil.call('anvil_dropAllTransactions')
  await world.resume()
  await go()
  const { status, message } = await answer
  expect([status, message]).toEqual(['failed', expect.stringContaining('It was not mined before its deadline.')])
  expect(message).not.toContain('may still be mined')
  await world.restart()
})

test('a process that starts continues unfinished trades at once, before any block', async () => {
  const silent = async () => {
    throw new DomainError('UNAVAILABLE', 'The signer does not respond.')
  }
  await world.breakAt((ports) => ({ signer: { ...ports.signer, sign: silent } }))
  await pause()
  const answer = trader.execute('0.02')
  await until(isIn('reserved'), 'the nonce')
  await world.restart()
  await until(isIn('broadcast'), 'the send')
  await go()
  expect(await answer).toMatchObject({ status: 'success' })
})

test('transactions that the node has lost are not sent again until a halt is lifted', async () => {
  const { id, answer } = await waiting('0.02')
  const halt = { scope: 'wallet', id: ada.address }
  await world.call('operator.haltTrading', 0, halt)
  await world.anvil.call('anvil_dropAllTransactions')
  await world.anvil.mine(2)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(await nonce('pending')).toBe(0)
  await world.call('operator.resumeTrading', 0, halt)
  await go()
  expect(await answer).toMatchObject({ status: 'success', execution_id: id })
  expect(await nonce('pending')).toBe(2)
})

test.runIf(isLong)(
  '64 concurrent trades from one wallet leave no nonce gap, no duplicate and correct books',
  async () => {
    const answers = await Promise.all(Array.from({ length: 64 }, (_, index) => trader.execute(`0.01${index}`)))
    const executions = async () => await Promise.all(answers.map(({ execution_id }) => trader.load(execution_id)))
    const decided = async () => (await executions()).every(({ basis }) => basis !== null)
    await until(decided, 'all blocks', 280_000)
    const outcomes = (await executions()).map(({ amountOut }) => amountOut !== null)
    expect(outcomes).toEqual(Array(64).fill(true))
    const legs = (await Promise.all(answers.map(({ execution_id }) => trader.legs(execution_id)))).flat()
    const nonces = legs.map((leg) => leg.nonce!).toSorted((a, b) => a - b)
    expect(nonces).toEqual(Array.from({ length: 128 }, (_, index) => index))
    expect([await nonce('latest'), await nonce('pending')]).toEqual([128, 128])
    await trader.expectTrueBooks()
  },
)

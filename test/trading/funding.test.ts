import { afterAll, beforeAll, expect, test } from 'vitest'
import { DomainError } from '../../src/domain/core/errors.ts'
import type { FundingState, Wallet } from '../../src/domain/ports/wallets.ts'
import { chainId, until } from '../../src/sandbox/fixtures/testing.ts'
import { clockAt } from '../clock.ts'
import { chainsWith } from './broken.ts'
import { openTradingWorld, type TradingWorld } from './world.ts'

let world: TradingWorld
let ada: { userId: number }
/** The offset of the clock, which only makes waiting payments due sooner. */
let ahead = 0

beforeAll(async () => {
  world = await openTradingWorld()
  ada = await world.person()
})
afterAll(async () => await world.close())

const clock = clockAt(() => new Date(Date.now() + ahead))
const create = async (ref: string, funding: FundingState) =>
  await world.ports.wallets.create(ada.userId, world.ports.signer.generate(ada.userId, ref), funding, new Date(), 10)
const wallet = async (ref: string) => (await world.ports.wallets.find(ada.userId, ref))!

/** Advances the clock over the waits until the payment has failed at least so many times. */
async function failing(ref: string, tries: number): Promise<void> {
  const failed = async () => {
    ahead = Math.max(ahead, ((await wallet(ref)).fundingFailure?.retryAt?.getTime() ?? 0) - Date.now())
    return ((await wallet(ref)).fundingFailure?.tries ?? 0) >= tries
  }
  await until(failed, `${tries} tries`, 60_000)
}

test('a second payment whose process ended before it had a transaction is made by the next process', async () => {
  const { id } = (await create('left', 'none')) as Wallet
  const failure = { tries: 1, mined: 0, why: 'It was not mined.', retryAt: new Date() }
  await world.ports.wallets.setFunding(id, 'wanted', failure)
  await until(async () => (await wallet('left')).funding === 'done', 'the money')
})

test('a trade from a wallet whose starting money is still due says so', async () => {
  // Nothing watches the chain, so the money stays due.
  await world.breakAt(({ tradingSettings }) => ({ tradingSettings: { ...tradingSettings, fundingTimeoutMs: 1 } }))
  await create('early', 'wanted')
  const addresses = { token_in_address: world.token('WETH'), token_out_address: world.token('USDC') }
  const input = { ...addresses, chain_id: chainId, amount_in: '1', amount_in_currency: 'token_units', slippage_bps: 50 }
  const answer = await world.call<{ output: object }>('trading.execute', ada.userId, { input, wallet_ref: 'early' })
  expect(answer.output).toMatchObject({
    status: 'rejected',
    message: expect.stringMatching(/The wallet holds 0 WETH.* starting money has not arrived/),
  })
  await world.restart()
  await until(async () => (await wallet('early')).funding === 'done', 'the money')
  const later = await world.call<{ output: object }>('trading.execute', ada.userId, { input, wallet_ref: 'early' })
  expect(later.output).toMatchObject({ status: 'simulated' })
})

test('a treasury that was empty for many attempts pays once it has money again', async () => {
  const empty = async (): Promise<never> => {
    const metadata = { refusal: 'insufficient_funds' }
    throw new DomainError('TRANSACTION_REJECTED', 'insufficient funds', { metadata })
  }
  await world.breakAt((ports) => ({ clock, chains: chainsWith(ports, () => ({ broadcast: empty })) }))
  await world.resume()
  await create('poor', 'wanted')
  await failing('poor', 10)
  expect((await wallet('poor')).fundingFailure).toMatchObject({ mined: 0, retryAt: expect.any(Date) })
  await world.restart()
  await world.breakAt(() => ({ clock: clockAt(() => new Date(Date.now() + ahead + 3_700_000)) }))
  await world.resume()
  await until(async () => (await wallet('poor')).funding === 'done', 'the money')
})

test('a payment that costs gas at each failure is no longer repeated', async () => {
  await world.restart()
  const nothing = { to: world.token('USDC'), data: '0xdeadbeef', value: 0n } as const
  await world.breakAt((ports) => ({ clock, grants: { ...ports.grants!, forAccount: () => nothing } }))
  await world.resume()
  const { id } = (await create('cursed', 'none')) as Wallet
  const retryAt = new Date(Date.now() + 60_000)
  await world.ports.wallets.setFunding(id, 'failed', { tries: 9, mined: 7, why: 'It reverted.', retryAt })
  await failing('cursed', 10)
  expect((await wallet('cursed')).fundingFailure).toMatchObject({ tries: 10, mined: 8, retryAt: null })
})

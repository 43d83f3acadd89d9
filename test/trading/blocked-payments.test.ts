import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { DomainError } from '../../src/domain/core/errors.ts'
import { parseReference } from '../../src/domain/core/reference.ts'
import type { Outgoing } from '../../src/domain/ports/outbox.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { clockAt } from '../clock.ts'
import { isLong } from '../sized.ts'
import type { Person } from './orders.ts'
import { openTradingWorld, type TradingWorld } from './world.ts'

let world: TradingWorld
let ada: Person

beforeAll(async () => {
  world = await openTradingWorld()
  ada = await world.person()
})
afterEach(() => void world.failures.splice(0))
afterAll(async () => await world.close())

const dead = async () => {
  throw new DomainError('UNAVAILABLE', 'the process died here')
}

test('a nonce that became free below others is cancelled, so that they are mined', async () => {
  const { chain, ports } = world
  const gas = 21_000n
  const legs = [{ kind: 'faucet', call: { to: ada.address, data: '0x', value: 0n }, gas }] as const
  const floor = await chain.nonce(ada.address, 'pending')
  const reserve = (reference: string) =>
    ports.outbox.reserve({
      chainId: chain.info.id,
      from: ada.address,
      reference: parseReference(reference),
      legs,
      floor,
    })
  // The treasury can pay the second, but not the first.
  const poor = [{ ...legs[0], call: { to: ada.address, data: '0x', value: 10n ** 30n } }] as const
  const account = { chainId: chain.info.id, from: ada.address }
  const [first] = (await ports.outbox.reserve({
    ...account,
    reference: parseReference('faucet:poor'),
    legs: poor,
    floor,
  })) as Outgoing[]
  await reserve('faucet:after')
  await until(
    async () => (await ports.outbox.byReference(parseReference('faucet:after')))[0]?.state === 'included',
    'the later one',
  )
  expect(await ports.outbox.byReference(parseReference('faucet:poor'))).toMatchObject([
    { state: 'failed', nonce: null },
  ])
  expect(await ports.outbox.byReference(parseReference('faucet:after'))).toMatchObject([
    { state: 'included', nonce: first!.nonce! + 1 },
  ])
})

test('a payment that can never be signed fails at once, and the payments behind it are mined', async () => {
  const { chain, ports } = world
  const floor = await chain.nonce(ada.address, 'pending')
  const place = { chainId: chain.info.id, from: ada.address, floor }
  const leg = { kind: 'faucet', call: { to: ada.address, data: '0x', value: 0n }, gas: 21_000n } as const
  const nowhere = { ...leg, call: { ...leg.call, to: '0x12' } } as const
  await ports.outbox.reserve({ ...place, reference: parseReference('faucet:nowhere'), legs: [nowhere] })
  await ports.outbox.reserve({ ...place, reference: parseReference('faucet:somewhere'), legs: [leg] })
  const last = async () => (await ports.outbox.byReference(parseReference('faucet:somewhere')))[0]
  await until(async () => (await last())?.state === 'included', 'the one behind it')
  expect(await last()).toMatchObject({ nonce: floor + 1 })
  expect(await ports.outbox.byReference(parseReference('faucet:nowhere'))).toMatchObject([
    { state: 'failed', nonce: null, error: expect.stringContaining('cannot be signed') },
  ])
})

test('a wallet whose starting money cannot be sent now delays no other wallet and no faucet claim', async () => {
  const { ports } = world
  await world.breakAt((broken) => ({
    outbox: {
      ...broken.outbox,
      reserve: async (request) =>
        request.reference.kind === 'wallet' && request.reference.id === unlucky
          ? await dead()
          : await broken.outbox.reserve(request),
    },
  }))
  const wanted = async (ref: string) =>
    (await ports.wallets.create(ada.userId, ports.signer.generate(ada.userId, ref), 'wanted', new Date(), 10)) as {
      id: number
    }
  let unlucky = 0
  unlucky = (await wanted('unlucky')).id
  const lucky = await wanted('lucky')
  const claim = {
    id: crypto.randomUUID(),
    chainId: world.chain.info.id,
    address: ada.address,
    amount: 1n,
    cooldownMs: 0,
  }
  const limits = { amount: 1n, cooldownMs: 0, tiers: {}, perCaller: null, dailyCap: 10n ** 30n }
  await ports.faucetClaims.begin({ ...claim, createdAt: new Date() }, 'caller', limits)
  await world.resume()
  await until(async () => (await ports.wallets.load(lucky.id))?.funding === 'done', 'the other wallet')
  await until(async () => (await ports.faucetClaims.find(claim.id))?.state === 'sent', 'the claim')
  expect(world.failures).toContainEqual(expect.objectContaining({ message: 'the process died here' }))
  await world.restart()
  await until(async () => (await ports.wallets.load(unlucky))?.funding === 'done', 'the wallet that had to wait')
})

test.runIf(isLong)(
  'starting money that did not arrive is paid again after a pause, and the account sees the reason',
  async () => {
    type Listed = { wallet_ref: string; funded: boolean; funding_error?: string }
    const listed = async () =>
      (await world.call<Listed[]>('trading.listWallets', ada.userId, {})).output.find(
        ({ wallet_ref }) => wallet_ref === 'waiting',
      )!
    const nothing = { to: world.token('USDC'), data: '0xdeadbeef', value: 0n } as const
    await world.breakAt((ports) => ({ grants: { ...ports.grants!, forAccount: () => nothing } }))
    await world.resume()
    await world.call('trading.createWallet', ada.userId, { wallet_ref: 'waiting' })
    await until(async () => (await listed()).funding_error !== undefined, 'the failure')
    expect(await listed()).toMatchObject({
      funded: false,
      funding_error: expect.stringMatching(/try 1.*reverted.*paid again after 20/),
    })
    expect(world.failures).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('did not arrive') }),
    )
    await world.restart()
    const later = clockAt(() => new Date(Date.now() + 31_000))
    await world.breakAt(() => ({ clock: later }))
    await world.resume()
    await until(async () => (await listed()).funded, 'the second payment')
    expect(await listed()).not.toHaveProperty('funding_error')
    const { address } = (await world.ports.wallets.find(ada.userId, 'waiting'))!
    expect((await world.chain.balances(address, [])).native).toBe(10n * 10n ** 18n)
    await world.restart()
  },
)

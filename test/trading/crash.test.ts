import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { DomainError } from '../../src/domain/errors.ts'
import type { Chain } from '../../src/domain/ports/chains.ts'
import type { Outgoing } from '../../src/domain/ports/outbox.ts'
import type { Ports } from '../../src/domain/ports.ts'
import { moveOf } from '../../src/domain/trading/execution-state.ts'
import { openSender, type RunningSender } from '../../src/domain/trading/sender.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { chainsWith } from './broken.ts'
import { allowanceOf, openTradingWorld, type TradingWorld } from './world.ts'

let world: TradingWorld
let ada: { userId: number; address: `0x${string}` }

beforeAll(async () => {
  world = await openTradingWorld()
  ada = await world.person()
}, 60_000)
afterEach(() => void world.failures.splice(0))
afterAll(async () => await world.close())

let keys = 0
const request = () => ({
  input: {
    chain_id: 84_532,
    token_in_address: world.token('WETH'),
    token_out_address: world.token('USDC'),
    amount_in: '0.02',
    slippage_bps: 100,
    simulate_only: false,
  },
  confirm: true,
  skip_risk: true,
  wallet_ref: 'default',
  idempotency_key: `crash-${++keys}`,
})
type Answer = { status: string; message: string; execution_id: string }
const execute = (input: Record<string, unknown>) => world.call<Answer>('trading.execute', ada.userId, input)

const dead = async () => {
  throw new DomainError('UNAVAILABLE', 'the process died here')
}

/** What the books say a wallet holds of the native currency. */
async function booked(wallet: string): Promise<bigint> {
  const rows = await world.ports.ledger.positions({ userId: ada.userId })
  const native = rows.filter(({ token, walletAddress }) => /^0x0+$/.test(token) && walletAddress === wallet)
  return native.reduce((total, { quantity }) => total + quantity, 0n)
}

async function stateOf(key: string) {
  return (await world.ports.executions.findByKey(ada.userId, key))?.state
}

describe('a trade whose process died', () => {
  const points: [string, string, (ports: Ports) => Partial<Ports>][] = [
    ['between the nonce and the signature', 'reserved', (ports) => ({ signer: { ...ports.signer, sign: dead } })],
    [
      'between the signature and the node',
      'signed',
      (ports) => ({ chains: chainsWith(ports, () => ({ broadcast: dead })) }),
    ],
    [
      'right after the node took it',
      'signed',
      (ports) => ({
        chains: chainsWith(ports, (chain) => ({ broadcast: async (raw) => await chain.broadcast(raw).then(dead) })),
      }),
    ],
    ['before its block was read', 'broadcast', () => ({})],
  ]

  test.each(points)('%s is finished by the next one, once', async (_name, left, breaking) => {
    const nonce = await world.chain.nonce(ada.address, 'latest')
    const fills = async () => (await world.ports.ledger.volume({ userId: ada.userId }))[0]?.valueUsd ?? 0n
    const before = await fills()
    await world.breakAt(breaking)
    const asked = request()
    const answer = execute(asked)
    await until(async () => (await stateOf(asked.idempotency_key)) === left, `the state ${left}`)
    await world.restart()
    expect(await answer).toMatchObject({ output: { status: 'success' } })
    expect(await execute(asked)).toMatchObject({ replayed: true, output: { status: 'success' } })
    expect(await world.chain.nonce(ada.address, 'pending')).toBe(nonce + 2)
    const worth = (await fills()) - before
    await world.restart()
    expect((await fills()) - before).toBe(worth)
    expect(worth).toBeGreaterThan(0n)
  })

  test('before it had a nonce gives its key back', async () => {
    const asked = request()
    let asking = 0
    const hang = () => {
      asking++
      return new Promise<never>(() => {})
    }
    await world.breakAt((ports) => ({
      chains: chainsWith(ports, () => ({ swapLegs: hang })),
    }))
    void execute(asked)
    await until(() => asking > 0, 'the process to hang')
    expect(await stateOf(asked.idempotency_key)).toBe('requested')
    await world.restart()
    expect(await stateOf(asked.idempotency_key)).toBeUndefined()
    expect(await execute(asked)).toMatchObject({ replayed: false, output: { status: 'success' } })
  })

  test('right before its nonce gives its quote back too, to the same key', async () => {
    const { input, ...asked } = request()
    const { output } = await world.call<{ quote_id: string }>('trading.quote', ada.userId, { input })
    const quoted = { ...asked, input, quote_id: output.quote_id }
    const hang = () => new Promise<never>(() => {})
    await world.breakAt(({ executions }) => ({
      executions: { ...executions, move: async (...change) => await executions.move(...change).then(hang) },
    }))
    void execute(quoted)
    await until(async () => (await stateOf(asked.idempotency_key)) === 'simulated', 'the process to hang')
    await world.restart()
    expect(await execute(quoted)).toMatchObject({ replayed: false, output: { status: 'success' } })
    await expect(execute({ ...quoted, idempotency_key: 'another' })).rejects.toThrow(/used once/)
  })

  test('while a wallet waited for its money, pays it once', async () => {
    await world.breakAt((ports) => ({ chains: chainsWith(ports, () => ({ broadcast: dead })) }))
    const made = await world.call<{ address: `0x${string}`; funded: boolean }>('trading.createWallet', ada.userId, {
      wallet_ref: 'late',
    })
    expect(made.output.funded).toBe(false)
    await world.restart()
    const funded = async () =>
      (await world.call<{ funded: boolean }[]>('trading.listWallets', ada.userId, {})).output.every(
        (wallet) => wallet.funded,
      )
    await until(funded, 'the funds')
    const { native } = await world.chain.balances(made.output.address, [])
    expect(native).toBe(10n * 10n ** 18n)
  })
})

test('a trade that the node refuses fails, and its nonces serve the next', async () => {
  const nonce = await world.chain.nonce(ada.address, 'latest')
  const refuse = async () => {
    throw new DomainError('TRANSACTION_REJECTED', 'The node refuses it.')
  }
  await world.breakAt((ports) => ({ chains: chainsWith(ports, () => ({ broadcast: refuse })) }))
  const refused = await execute(request())
  expect(refused.output).toMatchObject({ status: 'failed', message: expect.stringContaining('Nothing was traded') })
  await world.restart()
  expect((await execute(request())).output.status).toBe('success')
  expect(await world.chain.nonce(ada.address, 'pending')).toBe(nonce + 2)
})

test('a trade that is mined and reverts fails with the reason, leaves no allowance, and its gas is a loss', async () => {
  const sum = async () => (await world.call<{ realized_pnl_usd: number }>('metrics.realizedPnl', ada.userId, {})).output
  const before = (await sum()).realized_pnl_usd
  const volume = await world.ports.ledger.volume({ userId: ada.userId })
  // Its legs demand more than any pool can give, which only the chain finds out.
  const greedy = (chain: Chain): Partial<Chain> => ({
    swapLegs: (plan) => chain.swapLegs({ ...plan, minimumOut: plan.amountIn * 10n ** 30n }),
  })
  await world.breakAt((ports) => ({ chains: chainsWith(ports, greedy) }))
  const answer = execute(request())
  await until(
    async () => (await world.ports.executions.list(ada.userId, null, 1))[0]?.state === 'broadcast',
    'the send',
  )
  await world.restart()
  const { output } = await answer
  expect(output).toMatchObject({
    status: 'failed',
    message: expect.stringMatching(/reverted: .*(little|output|slippage)/i),
  })
  expect((await sum()).realized_pnl_usd).toBeLessThan(before)
  expect(await world.ports.ledger.volume({ userId: ada.userId })).toEqual(volume)
  const [failed] = await world.ports.executions.list(ada.userId, null, 1)
  const [approval] = await world.ports.outbox.byReference(failed!.id)
  const revoked = async () => (await world.ports.outbox.byReference(`revoke:${failed!.id}`))[0]?.outcome === 'success'
  await until(revoked, 'the approval to be taken back')
  expect(await allowanceOf(world, approval!)).toBe(0n)
  await until(
    async () => (await booked(ada.address)) === (await world.chain.balances(ada.address, [])).native,
    'the gas',
  )
})

test('a nonce that came free below others is filled, so that they are mined', async () => {
  const { chain, ports } = world
  const gas = 21_000n
  const legs = [{ kind: 'faucet', call: { to: ada.address, data: '0x', value: 0n }, gas }] as const
  const floor = await chain.nonce(ada.address, 'pending')
  const reserve = (reference: string) =>
    ports.outbox.reserve({ chainId: chain.info.id, from: ada.address, reference, legs, floor })
  // The first cannot be paid for, the second can.
  const poor = [{ ...legs[0], call: { to: ada.address, data: '0x', value: 10n ** 30n } }] as const
  const account = { chainId: chain.info.id, from: ada.address }
  const [first] = (await ports.outbox.reserve({
    ...account,
    reference: 'faucet:poor',
    legs: poor,
    floor,
  })) as Outgoing[]
  await reserve('faucet:after')
  await until(async () => (await ports.outbox.byReference('faucet:after'))[0]?.state === 'included', 'the later one')
  expect(await ports.outbox.byReference('faucet:poor')).toMatchObject([{ state: 'failed', nonce: null }])
  expect(await ports.outbox.byReference('faucet:after')).toMatchObject([
    { state: 'included', nonce: first!.nonce! + 1 },
  ])
})

test('a payment that can never be signed fails at once, and those behind it are mined', async () => {
  const { chain, ports } = world
  const floor = await chain.nonce(ada.address, 'pending')
  const place = { chainId: chain.info.id, from: ada.address, floor }
  const leg = { kind: 'faucet', call: { to: ada.address, data: '0x', value: 0n }, gas: 21_000n } as const
  const nowhere = { ...leg, call: { ...leg.call, to: '0x12' } } as const
  await ports.outbox.reserve({ ...place, reference: 'faucet:nowhere', legs: [nowhere] })
  await ports.outbox.reserve({ ...place, reference: 'faucet:somewhere', legs: [leg] })
  const last = async () => (await ports.outbox.byReference('faucet:somewhere'))[0]
  await until(async () => (await last())?.state === 'included', 'the one behind it')
  expect(await last()).toMatchObject({ nonce: floor + 1 })
  expect(await ports.outbox.byReference('faucet:nowhere')).toMatchObject([
    { state: 'failed', nonce: null, error: expect.stringContaining('cannot be signed') },
  ])
})

test('a wallet whose starting money cannot be sent now holds up no other wallet and no faucet claim', async () => {
  const { ports } = world
  await world.breakAt((broken) => ({
    outbox: {
      ...broken.outbox,
      reserve: async (request) =>
        request.reference === `wallet:${unlucky}` ? await dead() : await broken.outbox.reserve(request),
    },
  }))
  const wanted = async (ref: string) =>
    (await ports.wallets.create(ada.userId, ports.signer.generate(ref), 'wanted', new Date(), 10)) as { id: number }
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

test('starting money that did not arrive is paid again after a rest, and the account sees why it waits', async () => {
  type Listed = { wallet_ref: string; funded: boolean; funding_error?: string }
  const listed = async () =>
    (await world.call<Listed[]>('trading.listWallets', ada.userId, {})).output.find(
      ({ wallet_ref }) => wallet_ref === 'waiting',
    )!
  const nothing = { to: world.token('WETH'), data: '0xdeadbeef', value: 0n } as const
  await world.breakAt((ports) => ({ grants: { ...ports.grants!, forAccount: () => nothing } }))
  await world.resume()
  await world.call('trading.createWallet', ada.userId, { wallet_ref: 'waiting' })
  await until(async () => (await listed()).funding_error !== undefined, 'the failure', 15_000)
  expect(await listed()).toMatchObject({
    funded: false,
    funding_error: expect.stringMatching(/try 1.*reverted.*paid again after 20/),
  })
  expect(world.failures).toContainEqual(expect.objectContaining({ message: expect.stringContaining('did not arrive') }))
  await world.restart()
  const later = { now: () => new Date(Date.now() + 31_000) }
  await world.breakAt(() => ({ clock: later }))
  await world.resume()
  await until(async () => (await listed()).funded, 'the second payment', 30_000)
  expect(await listed()).not.toHaveProperty('funding_error')
  const { address } = (await world.ports.wallets.find(ada.userId, 'waiting'))!
  expect((await world.chain.balances(address, [])).native).toBe(10n * 10n ** 18n)
  await world.restart()
}, 60_000)

test('a receipt that is not there the second time decides nothing: the trade is read again and booked', async () => {
  const seen = new Map<string, number>()
  // The node that the second question goes to lags behind the one that answered the first.
  const lagging = (chain: Chain): Partial<Chain> => ({
    receipt: async (hash) => {
      const found = await chain.receipt(hash)
      if (found === null) return null
      seen.set(hash, (seen.get(hash) ?? 0) + 1)
      return seen.get(hash) === 2 ? null : found
    },
  })
  await world.breakAt((ports) => ({ chains: chainsWith(ports, lagging) }))
  await (world.ports.sender as RunningSender).resume()
  const { output } = await execute(request())
  expect(output).toMatchObject({ status: 'success', amount_out: expect.any(String) })
  expect(Math.max(...seen.values())).toBeGreaterThan(2)
  await world.restart()
})

test('a refusal after the node took the bytes does not end the trade or free its nonce', async () => {
  const nonce = await world.chain.nonce(ada.address, 'latest')
  // The node takes everything and its answers are lost; then it refuses what it has.
  const forgetful = (chain: Chain): Partial<Chain> => ({
    broadcast: async (raw) => {
      await chain.broadcast(raw)
      throw new DomainError('TRANSACTION_REJECTED', 'The node is beside itself.')
    },
  })
  await world.breakAt((ports) => ({ chains: chainsWith(ports, forgetful) }))
  await (world.ports.sender as RunningSender).resume()
  expect((await execute(request())).output).toMatchObject({ status: 'success' })
  await world.restart()
  expect(await world.chain.nonce(ada.address, 'pending')).toBe(nonce + 2)
})

test('a hole that a process died over is filled by the next one', async () => {
  const { chain, ports } = world
  const { id: chainId } = chain.info
  const floor = await chain.nonce(ada.address, 'pending')
  await world.breakAt((broken) => ({ chains: chainsWith(broken, () => ({ nonce: dead })) }))
  const leg = { kind: 'faucet', call: { to: ada.address, data: '0x', value: 0n }, gas: 21_000n } as const
  const place = { chainId, from: ada.address, floor }
  await ports.outbox.reserve({ ...place, reference: 'faucet:lost', legs: [leg] })
  const [lost] = await ports.outbox.byReference('faucet:lost')
  await ports.outbox.reserve({ ...place, reference: 'faucet:behind', legs: [leg] })
  await ports.outbox.change(lost!, { move: moveOf('reserved', 'failed'), error: 'It could not be paid.' })
  await world.restart()
  const last = async () => (await ports.outbox.byReference('faucet:behind'))[0]
  await until(async () => (await last())?.state === 'included', 'the one behind the hole')
  expect(await last()).toMatchObject({ nonce: floor + 1 })
})

test('a second process that starts leaves the trades of a living one alone', async () => {
  const { ports } = world
  const shared = { ...ports.executions, shared: true }
  const asked = request()
  const begun = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const slow = (chain: Chain): Partial<Chain> => ({
    swapLegs: async (plan) => {
      begun.resolve()
      await go.promise
      return await chain.swapLegs(plan)
    },
  })
  await world.breakAt((broken) => ({ executions: shared, chains: chainsWith(broken, slow) }))
  const answer = execute(asked)
  await begun.promise
  const second = openSender({ ...ports, executions: shared }, () => undefined)
  await second.resume()
  expect(await stateOf(asked.idempotency_key)).toBe('requested')
  go.resolve()
  expect((await answer).output).toMatchObject({ status: 'success' })
  await second.close()
  await world.restart()
})

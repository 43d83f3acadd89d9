import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { OutgoingEntity } from '../../src/adapters/storage/entities/sending.ts'
import { DomainError } from '../../src/domain/core/errors.ts'
import { parseReference } from '../../src/domain/core/reference.ts'
import type { Chain } from '../../src/domain/ports/chains.ts'
import type { Ports } from '../../src/domain/ports/index.ts'
import { moveOf } from '../../src/domain/sending/execution-state.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { openSender } from '../../src/wiring/open-sender.ts'
import { chainsWith } from './broken.ts'
import { ordersOf, type Person } from './orders.ts'
import { openTradingWorld, type TradingWorld } from './world.ts'

let world: TradingWorld
let ada: Person

beforeAll(async () => {
  world = await openTradingWorld()
  ada = await world.person()
})
afterEach(() => void world.failures.splice(0))
afterAll(async () => await world.close())

const { real, execute } = ordersOf(() => ({ world, person: ada }))
const request = () => real('0.02', { skip_risk: true })

const dead = async () => {
  throw new DomainError('UNAVAILABLE', 'the process died here')
}

async function stateOf(key: string) {
  return (await world.ports.executions.findByKey(ada.userId, key))?.state
}

describe('a trade whose process ended', () => {
  const points: [string, string, (ports: Ports) => Partial<Ports>][] = [
    ['between the nonce and the signature', 'reserved', (ports) => ({ signer: { ...ports.signer, sign: dead } })],
    [
      'between the signature and the node',
      'signed',
      (ports) => ({ chains: chainsWith(ports, () => ({ broadcast: dead })) }),
    ],
    [
      'right after the node accepted it',
      'signed',
      (ports) => ({
        chains: chainsWith(ports, (chain) => ({ broadcast: async (raw) => await chain.broadcast(raw).then(dead) })),
      }),
    ],
    ['before its block was read', 'broadcast', () => ({})],
  ]

  test.each(points)('%s is finished once, by the next process', async (_name, left, breaking) => {
    const nonce = await world.chain.nonce(ada.address, 'latest')
    const fills = async () => (await world.ports.ledger.volume({ userId: ada.userId }))[0]?.valueUsd ?? 0n
    const before = await fills()
    await world.breakAt(breaking)
    const trade = request()
    const response = execute(trade)
    await until(async () => (await stateOf(trade.idempotency_key)) === left, `the state ${left}`)
    await world.restart()
    expect(await response).toMatchObject({ output: { status: 'success' } })
    expect(await execute(trade)).toMatchObject({ replayed: true, output: { status: 'success' } })
    expect(await world.chain.nonce(ada.address, 'pending')).toBe(nonce + 2)
    const worth = (await fills()) - before
    await world.restart()
    expect((await fills()) - before).toBe(worth)
    expect(worth).toBeGreaterThan(0n)
  })

  test('before it had a nonce releases its key', async () => {
    const trade = request()
    let calls = 0
    const hang = () => {
      calls++
      return new Promise<never>(() => {})
    }
    await world.breakAt((ports) => ({
      chains: chainsWith(ports, () => ({ swapLegs: hang })),
    }))
    void execute(trade)
    await until(() => calls > 0, 'the process to hang')
    expect(await stateOf(trade.idempotency_key)).toBe('requested')
    await world.restart()
    expect(await stateOf(trade.idempotency_key)).toBeUndefined()
    expect(await execute(trade)).toMatchObject({ replayed: false, output: { status: 'success' } })
  })

  test('right before its nonce releases its quote too, for the same key', async () => {
    const { input, ...trade } = request()
    const { output } = await world.call<{ quote_id: string }>('trading.quote', ada.userId, { input })
    const quoted = { ...trade, input, quote_id: output.quote_id }
    const hang = () => new Promise<never>(() => {})
    await world.breakAt(({ executions }) => ({
      executions: { ...executions, move: async (...change) => await executions.move(...change).then(hang) },
    }))
    void execute(quoted)
    await until(async () => (await stateOf(trade.idempotency_key)) === 'simulated', 'the process to hang')
    await world.restart()
    expect(await execute(quoted)).toMatchObject({ replayed: false, output: { status: 'success' } })
    await expect(execute({ ...quoted, idempotency_key: 'another' })).rejects.toThrow(/used once/)
  })

  test('while a wallet waited for its starting money is followed by one payment', async () => {
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

test('a nonce gap that a process left is cancelled by the next process', async () => {
  const { chain, ports } = world
  const { id: chainId } = chain.info
  const floor = await chain.nonce(ada.address, 'pending')
  await world.breakAt((broken) => ({ chains: chainsWith(broken, () => ({ nonce: dead })) }))
  const leg = { kind: 'faucet', call: { to: ada.address, data: '0x', value: 0n }, gas: 21_000n } as const
  const place = { chainId, from: ada.address, floor }
  await ports.outbox.reserve({ ...place, reference: parseReference('faucet:lost'), legs: [leg] })
  const [lost] = await ports.outbox.byReference(parseReference('faucet:lost'))
  await ports.outbox.reserve({ ...place, reference: parseReference('faucet:behind'), legs: [leg] })
  const change = { move: moveOf('reserved', 'failed'), error: 'It could not be paid.' }
  await ports.outbox.change([{ transaction: lost!, change }])
  await world.restart()
  const last = async () => (await ports.outbox.byReference(parseReference('faucet:behind')))[0]
  await until(async () => (await last())?.state === 'included', 'the transaction behind the gap')
  expect(await last()).toMatchObject({ nonce: floor + 1 })
})

test('a stored transaction of an unknown kind does not stop the others of its account', async () => {
  const { chain, database, ports } = world
  const floor = await chain.nonce(ada.address, 'pending')
  await world.breakAt((broken) => ({ chains: chainsWith(broken, () => ({ nonce: dead })) }))
  const leg = { kind: 'faucet', call: { to: ada.address, data: '0x', value: 0n }, gas: 21_000n } as const
  const account = { chainId: chain.info.id, from: ada.address, floor }
  await ports.outbox.reserve({ ...account, reference: parseReference('faucet:later'), legs: [leg], at: floor + 1 })
  await ports.outbox.reserve({ ...account, reference: parseReference('faucet:known'), legs: [leg], at: floor })
  await database.tables.update(OutgoingEntity, { reference: 'faucet:later' }, { reference: 'refund:later' })
  await world.restart()
  const transactionOf = async (id: string) => (await ports.outbox.byReference(parseReference(id)))[0]
  const included = async (id: string) => (await transactionOf(id))?.state === 'included'
  await until(async () => await included('faucet:known'), 'the transaction of the known kind')
  expect(await transactionOf('faucet:known')).toMatchObject({ nonce: floor })
  await database.tables.update(OutgoingEntity, { reference: 'refund:later' }, { reference: 'faucet:later' })
  await until(async () => await included('faucet:later'), 'the transaction of the unknown kind')
})

test('a second process that starts does not touch the trades of a running one', async () => {
  const { ports } = world
  const shared = { ...ports.executions, shared: true }
  const trade = request()
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
  const response = execute(trade)
  await begun.promise
  const second = openSender({ ...ports, executions: shared }, () => undefined)
  await second.resume()
  expect(await stateOf(trade.idempotency_key)).toBe('requested')
  go.resolve()
  expect((await response).output).toMatchObject({ status: 'success' })
  await second.close()
  await world.restart()
})

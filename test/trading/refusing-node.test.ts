import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { DomainError } from '../../src/domain/core/errors.ts'
import { parseReference } from '../../src/domain/core/reference.ts'
import type { Chain } from '../../src/domain/ports/chains.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { chainsWith } from './broken.ts'
import { ordersOf, type Person } from './orders.ts'
import { allowanceOf, openTradingWorld, type TradingWorld } from './world.ts'

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

/** The books' balance of the native currency. */
async function booked(wallet: string): Promise<bigint> {
  const rows = await world.ports.ledger.positions({ userId: ada.userId })
  const native = rows.filter(({ token, walletAddress }) => /^0x0+$/.test(token) && walletAddress === wallet)
  return native.reduce((total, { quantity }) => total + quantity, 0n)
}

test('a trade that the node refuses fails, and the next trade uses its nonces', async () => {
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
  const volume = async () =>
    (await world.ports.ledger.volume({ userId: ada.userId })).map(({ agent, valueUsd }) => ({ agent, valueUsd }))
  const traded = await volume()
  // The minimum of the trade is more than any pool can pay, which only the chain notices.
  const greedy = (chain: Chain): Partial<Chain> => ({
    swapLegs: (plan) => chain.swapLegs({ ...plan, minimumOut: plan.amountIn * 10n ** 30n }),
  })
  await world.breakAt((ports) => ({ chains: chainsWith(ports, greedy) }))
  const answer = execute(request())
  await until(
    async () => (await world.ports.executions.list(ada.userId, { cursor: null }, 1)).items[0]?.state === 'broadcast',
    'the send',
  )
  await world.restart()
  const { output } = await answer
  expect(output).toMatchObject({
    status: 'failed',
    message: expect.stringMatching(/reverted: .*(little|output|slippage)/i),
  })
  expect((await sum()).realized_pnl_usd).toBeLessThan(before)
  expect(await volume()).toEqual(traded)
  const [failed] = (await world.ports.executions.list(ada.userId, { cursor: null }, 1)).items
  const [approval] = await world.ports.outbox.byReference(parseReference(failed!.id))
  const byStatus = await world.call<{ items: { execution_id: string }[] }>('trading.listExecutions', ada.userId, {
    status: 'failed',
    limit: 1,
  })
  expect(byStatus.output.items[0]!.execution_id).toBe(failed!.id)
  const closed = await world.call<{ items: object[] }>('metrics.listClosedTrades', ada.userId, { limit: 2 })
  expect(closed.output.items).toContainEqual(
    expect.objectContaining({ kind: 'gas', execution_id: failed!.id, tx_hash: failed!.transactionHash }),
  )
  const revoked = async () =>
    (await world.ports.outbox.byReference(parseReference(`revoke:${failed!.id}`)))[0]?.outcome === 'success'
  await until(revoked, 'the approval to be taken back')
  expect(await allowanceOf(world, approval!)).toBe(0n)
  await until(
    async () => (await booked(ada.address)) === (await world.chain.balances(ada.address, [])).native,
    'the gas',
  )
})

test('a receipt that is missing at the second read decides nothing: the trade is read again and booked', async () => {
  const seen = new Map<string, number>()
  // The second read goes to a node that lags behind the one of the first.
  const lagging = (chain: Chain): Partial<Chain> => ({
    receipt: async (hash) => {
      const found = await chain.receipt(hash)
      if (found === null) return null
      seen.set(hash, (seen.get(hash) ?? 0) + 1)
      return seen.get(hash) === 2 ? null : found
    },
  })
  await world.breakAt((ports) => ({ chains: chainsWith(ports, lagging) }))
  await world.resume()
  const { output } = await execute(request())
  expect(output).toMatchObject({ status: 'success', amount_out: expect.any(String) })
  expect(Math.max(...seen.values())).toBeGreaterThan(2)
  await world.restart()
})

test('a refusal after the node accepted the transaction does not end the trade or free its nonce', async () => {
  const nonce = await world.chain.nonce(ada.address, 'latest')
  // The node accepts everything and its responses are lost; then it refuses known transactions.
  const forgetful = (chain: Chain): Partial<Chain> => ({
    broadcast: async (raw) => {
      await chain.broadcast(raw)
      throw new DomainError('TRANSACTION_REJECTED', 'The node is beside itself.')
    },
  })
  await world.breakAt((ports) => ({ chains: chainsWith(ports, forgetful) }))
  await world.resume()
  expect((await execute(request())).output).toMatchObject({ status: 'success' })
  await world.restart()
  expect(await world.chain.nonce(ada.address, 'pending')).toBe(nonce + 2)
})

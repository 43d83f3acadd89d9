import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyAudit } from '../../src/adapters/storage/audit/verify-audit.ts'
import { AuditEntity } from '../../src/adapters/storage/entities/audit.ts'
import { openTradingWorld, type TradingWorld } from './world.ts'

let world: TradingWorld
let ada: { userId: number; address: `0x${string}` }

beforeAll(async () => {
  world = await openTradingWorld()
  ada = await world.person()
})
afterAll(async () => await world.close())

const trade = async (key: string, more: Record<string, unknown> = {}) => {
  const tokens = { token_in_address: world.token('WETH'), token_out_address: world.token('USDC') }
  const input = { chain_id: 84_532, ...tokens, amount_in: '0.2', slippage_bps: 100, simulate_only: false }
  const request = { input, confirm: true, wallet_ref: 'default', idempotency_key: key, ...more }
  return (await world.call<{ execution_id: string; status: string }>('trading.execute', ada.userId, request)).output
}
const entries = async () =>
  await world.database.tables.find(AuditEntity, { userId: ada.userId }, { orderBy: { seq: 'asc' } })

test('a trade records its risk, its quote, the decision, and each signature, sending and receipt, in that order', async () => {
  const { execution_id: id } = await trade('one')
  const log = await entries()
  expect(log.slice(0, 3).map(({ kind }) => kind)).toEqual(['risk', 'quote', 'decision'])
  const shown = JSON.parse(log[1]!.facts)
  expect(shown).toMatchObject({
    amount_in: `${2n * 10n ** 17n}`,
    slippage_bps: 100,
    route: { pools: expect.any(Array) },
  })
  expect(log.filter(({ subject }) => subject === id).map(({ kind }) => kind)).toEqual([
    ...['risk', 'decision', 'signature', 'signature', 'send', 'send', 'receipt', 'receipt'],
  ])
  const facts = log.filter(({ subject }) => subject === id).map((entry) => JSON.parse(entry.facts))
  expect(facts[1]).toMatchObject({
    quote_id: log[1]!.subject,
    accepted: true,
    wallet: ada.address,
    amount_in: `${2n * 10n ** 17n}`,
  })
  expect(facts.filter(({ outcome }) => outcome === 'success')).toHaveLength(2)
  expect(await verifyAudit(world.database)).toMatchObject({ broken: null })
})

test('a quote that nobody trades records nothing', async () => {
  const before = (await entries()).length
  const tokens = { token_in_address: world.token('WETH'), token_out_address: world.token('USDC') }
  const input = { chain_id: 84_532, ...tokens, amount_in: '0.2', slippage_bps: 100 }
  expect(await world.call('trading.quote', ada.userId, { input })).toMatchObject({
    output: { expected_out: expect.any(String) },
  })
  expect((await entries()).length).toBe(before)
})

test('a refused trade records the reason', async () => {
  const { status } = await trade('two', { thresholds: { min_liquidity_usd: 1e15 } })
  expect(status).toBe('rejected')
  const last = (await entries()).at(-1)
  expect(last).toMatchObject({ kind: 'decision' })
  expect(JSON.parse(last!.facts)).toMatchObject({ accepted: false, reason: expect.stringContaining('thresholds') })
})

test('a repeated key records nothing', async () => {
  const before = (await entries()).length
  await trade('one')
  expect((await entries()).length).toBe(before)
})

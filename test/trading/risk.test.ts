import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../src/contract/index.ts'
import type { InputOf } from '../../src/contract/shared/operation.ts'
import { assessRisk } from '../../src/domain/risk/assess-risk.ts'
import { callBy, openQuotingWorld, type QuotingWorld } from './quoting.ts'

let world: QuotingWorld

beforeAll(async () => {
  world = await openQuotingWorld()
})
afterAll(async () => await world.close())

const token = (symbol: string) => world.token(symbol)
const swap = (...parameters: Parameters<QuotingWorld['swap']>) => world.swap(...parameters)
const quote = (input: unknown) => world.quote(input)

type RiskInput = InputOf<typeof contract.trading.assessRisk>
const assessed = async (
  given: object,
  addresses: string[] = [],
  more: Partial<RiskInput> & { chain_id?: number } = {},
  userId = 1,
) => {
  const { chain_id, ...rest } = more
  const input = { chain: 'evm', addresses, ...(chain_id === undefined ? {} : { chain_id }) }
  const parsed = contract.trading.assessRisk.input.parse({ quote: given, input, ...rest })
  return contract.trading.assessRisk.output.parse(
    await assessRisk(world.ports, parsed, callBy<typeof contract.trading.assessRisk>(userId)),
  )
}
const assessedById = async (request: object, userId = 1) => {
  const parsed = contract.trading.assessRisk.input.parse(request)
  return await assessRisk(world.ports, parsed, callBy<typeof contract.trading.assessRisk>(userId))
}
const foreign = {
  expected_out: '1',
  slippage_bps: 50,
  venue: 'uniswap_v3',
  quote_id: 'not-ours',
  expires_at: '2026-03-01T10:00:30Z',
}

describe('risk', () => {
  test('of a quote_id alone is that of its quote', async () => {
    const quoted = await quote(swap('WETH', 'RUG', '0.01'))
    const { quote_id } = quoted
    expect(await assessedById({ quote_id })).toMatchObject({ level: 'high' })
    const checks = { chain: 'sandbox', checks: ['price_sanity'] }
    const report = await assessedById({ quote_id, input: checks })
    expect(report.checks.map(({ name }) => name)).toEqual(['price_sanity'])
    const changed = { quote: { ...quoted, warning: 'none' }, input: {} }
    await expect(assessedById(changed)).rejects.toThrow(/quote.warning|differs from the quote/)
    await expect(assessedById({ quote_id }, 2)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(assessedById({ quote_id, input: { chain: 'nowhere' } })).rejects.toThrow(/the chains are .*sandbox/)
    const other = { chain: 'sandbox', chain_id: 1 }
    await expect(assessedById({ quote_id, input: other })).rejects.toThrow(/differs from input.chain/)
  })

  test('needs a quote or its id, and not both', () => {
    const paths = (request: object) =>
      contract.trading.assessRisk.input.safeParse(request).error?.issues.map(({ path }) => path.join('.'))
    expect(paths({})).toEqual(['quote_id'])
    expect(paths({ quote: foreign })).toEqual(['input'])
    expect(paths({ quote: foreign, quote_id: 'x', input: {} })).toEqual(['quote_id'])
  })

  test('of WETH and USDC is low', async () => {
    const report = await assessed(await quote(swap('WETH', 'USDC', '0.5')), [], {
      thresholds: { max_price_impact_bps: 100, min_liquidity_usd: 50_000 },
    })
    expect(report.checks.map(({ name, result }) => [name, result])).toEqual([
      ['rug', 'pass'],
      ['whale_flow', 'pass'],
      ['price_sanity', 'pass'],
    ])
    expect(report).toMatchObject({ level: 'low', flags: [] })
    expect(report.aggregate_score).toBeLessThan(20)
  })

  test('of the bad token is high, with evidence', async () => {
    const report = await assessed(await quote(swap('WETH', 'RUG', '0.01')))
    expect(report.level).toBe('high')
    expect(report.aggregate_score).toBeGreaterThanOrEqual(90)
    expect(report.flags).toEqual(
      expect.arrayContaining(['high_tax', 'owner_can_set_taxes', 'owner_can_switch_selling']),
    )
    const rug = report.checks.find(({ name }) => name === 'rug')
    expect(rug?.result).toBe('fail')
    expect(JSON.stringify(rug?.details)).toMatch(/"sell_tax_bps":2\d\d\d/)
  })

  test('thresholds that a trade crosses make it high', async () => {
    const answer = await quote(swap('WETH', 'USDC', '500'))
    const report = await assessed(answer, [], { thresholds: { max_price_impact_bps: 1, min_liquidity_usd: 1e12 } })
    expect(report.level).toBe('high')
    expect(report.flags).toEqual(expect.arrayContaining(['price_impact_above_threshold', 'liquidity_below_threshold']))
  })

  test('an unknown quote is assessed as sent, and flagged', async () => {
    const report = await assessed(foreign, [token('WETH'), token('USDC')])
    expect(report).toMatchObject({ level: 'low', flags: ['quote_unverified'] })
    const other = await assessed(await quote(swap('WETH', 'USDC', '1')), [token('WETH')], {}, 2)
    expect(other.flags).toContain('quote_unverified')
  })

  test('a check that cannot be made is unknown, never passed', async () => {
    expect(await assessed(foreign)).toMatchObject({
      level: 'unknown',
      flags: expect.arrayContaining(['nothing_to_check']),
    })
    const nowhere = await assessed(foreign, [`0x${'12'.repeat(20)}`])
    expect(nowhere).toMatchObject({ level: 'unknown', flags: expect.arrayContaining(['not_a_contract']) })
    expect(nowhere.checks.every(({ result }) => result === 'unknown')).toBe(true)
  })

  test.each([
    ['expected_out', { expected_out: '1' }],
    ['slippage_bps', { slippage_bps: 51 }],
    ['venue', { venue: 'uniswap_v9' }],
    ['expires_at', { expires_at: '2026-03-01T11:00:00Z' }],
    ['route', { route: [] }],
    ['transfer_tax_bps', { transfer_tax_bps: 1 }],
    ['fees.protocol_fee', { fees: { protocol_fee: '9', gas_estimate: '1' } }],
  ])('a quote of ours with another %s is refused', async (field, change) => {
    const answer = await quote(swap('WETH', 'USDC', '1'))
    await expect(assessed({ ...answer, ...change })).rejects.toMatchObject({
      details: { violations: [{ path: `quote.${field}` }] },
    })
  })

  test('a quote in another spelling is the same quote', async () => {
    const answer = await quote(swap('WETH', 'USDC', '1'))
    const again = {
      ...answer,
      expected_out: `0${answer.expected_out}0`,
      route: answer.route.map((address) => address.toLowerCase()),
    }
    const report = await assessed(again)
    expect(report.flags).toEqual([])
  })

  test('an expired quote is flagged, and its chain cannot be changed', async () => {
    const answer = await quote(swap('WETH', 'USDC', '1'))
    await expect(assessed(answer, [], { chain_id: 1 })).rejects.toThrow(/chain_id/)
    const before = world.clock.at
    world.clock.at = new Date(before.getTime() + 30_000)
    expect((await assessed(answer)).flags).toEqual(['quote_expired'])
    expect((await assessedById({ quote_id: answer.quote_id })).flags).toEqual(['quote_expired'])
    world.clock.at = before
  })
})

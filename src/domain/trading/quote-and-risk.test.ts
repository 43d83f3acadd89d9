import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openChains } from '../../adapters/chain/chains.ts'
import { randomIds } from '../../adapters/system.ts'
import { contract } from '../../contract/index.ts'
import type { InputOf } from '../../contract/operation.ts'
import { temporaryDir, testSandbox } from '../../sandbox/fixtures/testing.ts'
import { callOf } from '../handler.ts'
import type { StoredQuote, TradingSettings } from '../ports/trades.ts'
import type { Ports } from '../ports.ts'
import { assessRisk } from './assess-risk.ts'
import { listChains } from './list-chains.ts'
import { formatUnits } from './money.ts'
import { quote } from './quote.ts'
import { forbiddenBy, worthOf } from './trade-policy.ts'

type Needed = Pick<Ports, 'chains' | 'clock' | 'ids' | 'quotes' | 'tradingSettings' | 'walletPolicies' | 'wallets'>

const unlimited = { maxTradeUsd: null, maxDailyUsd: null, tokens: null, venues: null, chains: null }

let dir: Awaited<ReturnType<typeof temporaryDir>>
let sandbox: Awaited<ReturnType<typeof testSandbox>>
let ports: Needed
let now = new Date('2026-03-01T10:00:00.000Z')

beforeAll(async () => {
  dir = await temporaryDir()
  sandbox = await testSandbox(dir.path)
  const kept = new Map<string, StoredQuote>()
  ports = {
    chains: openChains([{ deployment: sandbox.deployment, request: sandbox.request, rpcUrls: [], sandbox: true }]),
    clock: { now: () => now },
    ids: randomIds,
    quotes: {
      save: async (stored) => void kept.set(`${stored.userId} ${stored.id}`, stored),
      find: async (userId, id) => kept.get(`${userId} ${id}`) ?? null,
      purge: async () => 0,
    },
    tradingSettings: { ...unlimited, enabled: true, skipRiskAllowed: true, publicUrl: '' },
    walletPolicies: { find: async () => null, set: async () => undefined },
    wallets: { find: async () => null } as Partial<Ports['wallets']> as Ports['wallets'],
  }
})
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]()
  await dir[Symbol.asyncDispose]()
})

function call<O>(userId = 1) {
  const principal = { userId, sessionId: 'a session' } as never
  const signal = new AbortController().signal
  return callOf<O>({
    principal,
    requestId: 'r',
    clientAddress: '127.0.0.1',
    keyOrAddress: 'address:127.0.0.1',
    tier: 'free',
    signal,
    markReplayed: () => undefined,
    nameStream: () => undefined,
  })
}

const token = (symbol: string) => sandbox.deployment.tokens.find((known) => known.symbol === symbol)!.address
const swap = (from: string, to: string, amount: string, more: object = {}) => ({
  ...{
    chain_id: 84_532,
    token_in_address: token(from),
    token_out_address: token(to),
    amount_in: amount,
    slippage_bps: 50,
  },
  ...more,
})
const ask = async (input: unknown, userId = 1) =>
  contract.trading.quote.output.parse(await quote(ports, contract.trading.quote.input.parse({ input }), call(userId)))

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
  return contract.trading.assessRisk.output.parse(await assessRisk(ports, parsed, call(userId)))
}
const foreign = {
  expected_out: '1',
  slippage_bps: 50,
  venue: 'uniswap_v3',
  quote_id: 'not-ours',
  expires_at: '2026-03-01T10:00:30Z',
}

describe('a quote', () => {
  test('says what the swap yields, costs and may lose', async () => {
    const answer = await ask(swap('WETH', 'USDC', '0.5'))
    expect(answer).toMatchObject({ route: [token('WETH'), token('USDC')], venue: 'uniswap_v3', slippage_bps: 50 })
    expect(answer.expected_out).toMatch(/^14\d\d\.\d{1,6}$/)
    expect(answer.price_impact_bps).toBeLessThan(10)
    expect(answer.fees).toEqual({ protocol_fee: '0.00025', gas_estimate: answer.gas_estimate })
    expect(answer.expires_at).toBe('2026-03-01T10:00:30.000Z')
    expect(Number(answer.minimum_out)).toBeCloseTo(Number(answer.expected_out) * 0.995, 4)
  })

  test('promises what arrives, and says what the token keeps', async () => {
    expect((await ask(swap('WETH', 'USDC', '0.5'))).transfer_tax_bps).toBe(0)
    const [sale, purchase] = [await ask(swap('RUG', 'WETH', '1000')), await ask(swap('WETH', 'RUG', '0.01'))]
    expect(purchase.transfer_tax_bps).toBe(0)
    expect(sale.transfer_tax_bps).toBeGreaterThan(2_450)
    expect(sale.transfer_tax_bps).toBeLessThan(2_510)
    const chain = ports.chains.default
    const amountIn = 1_000n * 10n ** 18n
    const { quotes } = await chain.quoteRoutes(token('RUG'), token('WETH'), amountIn)
    const plan = { route: quotes[0]!.route, owner: token('USDC'), amountIn, minimumOut: 0n, deadline: 2n ** 40n }
    const tried = (await chain.simulateSwap(plan, { fundOwner: true })) as { amountOut: bigint }
    expect(sale.expected_out).toBe(formatUnits(tried.amountOut, 18))
    const late = await chain.simulateSwap({ ...plan, minimumOut: tried.amountOut + 1n }, { fundOwner: true })
    expect(late).toMatchObject({ ok: false, reason: expect.stringContaining('INSUFFICIENT_OUTPUT') })
  })

  test('of what cannot be sold is refused in the words of the token', async () => {
    await expect(ask(swap('BADSELL', 'WETH', '1'))).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      message: expect.stringMatching(/would fail: .*TRANSFER_FROM_FAILED.*the token refuses the transfer/),
    })
  })

  test('a larger trade has more impact', async () => {
    const [small, large] = [await ask(swap('WETH', 'USDC', '1')), await ask(swap('WETH', 'USDC', '500'))]
    expect(large.price_impact_bps).toBeGreaterThan(small.price_impact_bps!)
  })

  test('takes addresses in any case', async () => {
    const lower = swap('WETH', 'USDC', '1', { token_in_address: token('WETH').toLowerCase() })
    expect((await ask(lower)).route).toEqual([token('WETH'), token('USDC')])
  })

  test.each([
    ['another chain', { chain_id: 1 }, 'input.chain_id', /84532 \(sandbox\)/],
    ['an unknown token', { token_in_address: `0x${'12'.repeat(20)}` }, 'input.token_in_address', /WETH 0x/],
    [
      'too many digits',
      { amount_in: '0.0000000000000000001' },
      'input.amount_in',
      /19 digits after the point, and this token takes at most 18/,
    ],
  ])('%s is refused and named', async (_name, more, path, message) => {
    const refused = await ask(swap('WETH', 'USDC', '1', more)).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', details: { violations: [{ path }] } })
    expect((refused as Error).message).toMatch(message)
  })

  test('a token for itself is refused', async () => {
    await expect(ask(swap('WETH', 'WETH', '1'))).rejects.toThrow(/token_out_address.*another token/)
  })
})

describe('risk', () => {
  test('of WETH and USDC is low', async () => {
    const report = await assessed(await ask(swap('WETH', 'USDC', '0.5')), [], {
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
    const report = await assessed(await ask(swap('WETH', 'RUG', '0.01')))
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
    const answer = await ask(swap('WETH', 'USDC', '500'))
    const report = await assessed(answer, [], { thresholds: { max_price_impact_bps: 1, min_liquidity_usd: 1e12 } })
    expect(report.level).toBe('high')
    expect(report.flags).toEqual(expect.arrayContaining(['price_impact_above_threshold', 'liquidity_below_threshold']))
  })

  test('a quote of nobody is assessed as given and flagged', async () => {
    const report = await assessed(foreign, [token('WETH'), token('USDC')])
    expect(report).toMatchObject({ level: 'low', flags: ['quote_unverified'] })
    const other = await assessed(await ask(swap('WETH', 'USDC', '1')), [token('WETH')], {}, 2)
    expect(other.flags).toContain('quote_unverified')
  })

  test('what cannot be checked is unknown, never fine', async () => {
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
    const answer = await ask(swap('WETH', 'USDC', '1'))
    await expect(assessed({ ...answer, ...change })).rejects.toMatchObject({
      details: { violations: [{ path: `quote.${field}` }] },
    })
  })

  test('a quote written another way is the same quote', async () => {
    const answer = await ask(swap('WETH', 'USDC', '1'))
    const again = {
      ...answer,
      expected_out: `0${answer.expected_out}0`,
      route: answer.route.map((address) => address.toLowerCase()),
    }
    const report = await assessed(again)
    expect(report.flags).toEqual([])
  })

  test('a quote that is over is flagged, and its chain cannot be changed', async () => {
    const answer = await ask(swap('WETH', 'USDC', '1'))
    await expect(assessed(answer, [], { chain_id: 1 })).rejects.toThrow(/chain_id/)
    const before = now
    now = new Date(before.getTime() + 30_000)
    expect((await assessed(answer)).flags).toEqual(['quote_expired'])
    now = before
  })
})

test('a cap counts by fresh feeds alone, and refuses where there is none', async () => {
  const chain = ports.chains.default
  const known = (symbol: string) => chain.info.tokens.find((one) => one.symbol === symbol)!
  const worth = (from: string, to: string) =>
    worthOf({ chain, tokenIn: known(from), tokenOut: known(to), amountIn: 10n ** 18n }, 10n ** 18n)
  const dollar = 10n ** 18n
  expect(await worth('BADPRICE', 'WETH')).toBe(dollar)
  expect(await worth('BADFEED', 'WETH')).toBe(3_000n * dollar)
  expect(await worth('BADFEED', 'RUG')).toBeNull()
  const caps = { ...unlimited, maxTradeUsd: 1_000_000n * dollar } as TradingSettings
  const before = { accountUsd: 0n, walletUsd: 0n, walletPolicy: null, halt: null, quoteUsed: false }
  const forbidden = (valueUsd: bigint | null) =>
    forbiddenBy({ chainId: chain.info.id, tokens: [], venue: 'uniswap_v3', valueUsd }, caps, before)
  expect(forbidden(await worth('BADFEED', 'RUG'))).toMatch(/older than its heartbeat.*MAX_TRADE_USD/)
  expect(forbidden(await worth('BADPRICE', 'WETH'))).toBeNull()
})

test('the chains are listed with their tokens', async () => {
  const [chain] = contract.trading.listChains.output.parse(await listChains(ports, {}, call()))
  expect(chain).toMatchObject({
    chain_id: 84_532,
    name: 'sandbox',
    explorer_url: null,
    venues: ['uniswap_v2', 'uniswap_v3', 'wrapped_native'],
  })
  expect(chain?.tokens).toContainEqual({ symbol: 'USDC', address: token('USDC'), decimals: 6 })
})

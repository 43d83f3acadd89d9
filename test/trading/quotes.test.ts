import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../src/contract/index.ts'
import { forbiddenBy, policyTradeOf } from '../../src/domain/policies/trade-policy.ts'
import type { TradingSettings } from '../../src/domain/ports/trade-policy.ts'
import type { StoredQuote } from '../../src/domain/ports/trades.ts'
import { listChains } from '../../src/domain/trading/list-chains.ts'
import { formatUnits } from '../../src/domain/values/money.ts'
import { callBy, openQuotingWorld, type QuotingWorld, unlimited } from './quoting.ts'

let world: QuotingWorld
let ports: QuotingWorld['ports']

beforeAll(async () => {
  world = await openQuotingWorld()
  ports = world.ports
})
afterAll(async () => await world.close())

const token = (symbol: string) => world.token(symbol)
const swap = (...parameters: Parameters<QuotingWorld['swap']>) => world.swap(...parameters)
const quote = (input: unknown) => world.quote(input)

describe('a quote', () => {
  test('returns the output, the costs and the minimum of a swap', async () => {
    const answer = await quote(swap('WETH', 'USDC', '0.5'))
    expect(answer).toMatchObject({ route: [token('WETH'), token('USDC')], venue: 'uniswap_v3', slippage_bps: 50 })
    expect(answer.expected_out).toMatch(/^14\d\d\.\d{1,6}$/)
    expect(answer.price_impact_bps).toBeLessThan(10)
    expect(answer.fees).toEqual({ protocol_fee: '0.00025', gas_estimate: answer.gas_estimate })
    expect(answer.expires_at).toBe('2026-03-01T10:00:30.000Z')
    expect(Number(answer.minimum_out)).toBeCloseTo(Number(answer.expected_out) * 0.995, 4)
  })

  test('returns the amount that arrives, and the transfer tax of the token', async () => {
    expect((await quote(swap('WETH', 'USDC', '0.5'))).transfer_tax_bps).toBe(0)
    const [sale, purchase] = [await quote(swap('RUG', 'WETH', '1000')), await quote(swap('WETH', 'RUG', '0.01'))]
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

  test('of a token that cannot be sold is refused with the reason of the token', async () => {
    await expect(quote(swap('BADSELL', 'WETH', '1'))).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      message: expect.stringMatching(/would fail: .*TRANSFER_FROM_FAILED.*the token refuses the transfer/),
    })
  })

  test('a larger trade has more impact', async () => {
    const [small, large] = [await quote(swap('WETH', 'USDC', '1')), await quote(swap('WETH', 'USDC', '500'))]
    expect(large.price_impact_bps).toBeGreaterThan(small.price_impact_bps!)
  })

  test('takes addresses in any case', async () => {
    const lower = swap('WETH', 'USDC', '1', { token_in_address: token('WETH').toLowerCase() })
    expect((await quote(lower)).route).toEqual([token('WETH'), token('USDC')])
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
    const refused = await quote(swap('WETH', 'USDC', '1', more)).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', details: { violations: [{ path }] } })
    expect((refused as Error).message).toMatch(message)
  })

  test('a token for itself is refused', async () => {
    await expect(quote(swap('WETH', 'WETH', '1'))).rejects.toThrow(/token_out_address.*must differ/)
  })
})

test('a cap uses only current feed prices, and refuses where there is none', async () => {
  const chain = ports.chains.default
  const known = (symbol: string) => chain.info.tokens.find((one) => one.symbol === symbol)!
  const worth = async (from: string, to: string) => {
    const swap = { chain, tokenIn: known(from), tokenOut: known(to), amountIn: 10n ** 18n }
    const quoted = { expectedOut: 10n ** 18n, route: { venue: 'uniswap_v3' } } as StoredQuote
    return (await policyTradeOf({ ...swap, requestedAmount: '1 token_units', slippageBps: 50 }, quoted)).valueUsd
  }
  const dollar = 10n ** 18n
  expect(await worth('BADPRICE', 'WETH')).toBe(dollar)
  expect(await worth('BADFEED', 'WETH')).toBe(3_000n * dollar)
  expect(await worth('BADFEED', 'RUG')).toBeNull()
  const caps = { ...unlimited, maxTradeUsd: 1_000_000n * dollar } as TradingSettings
  const before = { accountUsd: 0n, walletUsd: 0n, sessionUsd: 0n, walletPolicy: null, halt: null, quoteUsed: false }
  const forbidden = (valueUsd: bigint | null) =>
    forbiddenBy({ chainId: chain.info.id, tokens: [], venue: 'uniswap_v3', valueUsd }, caps, before, null)
  expect(forbidden(await worth('BADFEED', 'RUG'))).toMatch(/No feeds have a current price.*MAX_TRADE_USD/)
  expect(forbidden(await worth('BADPRICE', 'WETH'))).toBeNull()
})

test('the chains are listed with their tokens', async () => {
  const [chain] = contract.trading.listChains.output.parse(
    await listChains({ ...ports, chainHalts: { list: async () => [] } }, {}, callBy()),
  )
  expect(chain).toMatchObject({
    chain_id: 84_532,
    name: 'sandbox',
    explorer_url: null,
    venues: ['uniswap_v2', 'uniswap_v3', 'wrapped_native'],
  })
  expect(chain?.tokens).toContainEqual({ symbol: 'USDC', address: token('USDC'), decimals: 6 })
})

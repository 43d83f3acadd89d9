import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSnapshots } from '../../src/domain/metrics/snapshots.ts'
import { type Hex, nativeToken } from '../../src/domain/ports/chains.ts'
import { sized } from '../sized.ts'
import { payerIn } from './payments.ts'
import { holding, openTradingWorld, type TradingWorld } from './world.ts'

type Position = { token_symbol: string; token_address: string; quantity_decimal: string }
type Person = { userId: number; address: Hex }
type Profit = { realized_pnl_usd_decimal: string; unrealized_pnl_usd_decimal: string }

let world: TradingWorld
let ada: Person
let bob: Person

beforeAll(async () => {
  world = await openTradingWorld()
  payer = payerIn(world)
  ada = await world.person()
  bob = await world.person()
})
afterAll(async () => await world.close())

const symbols = ['ETH', 'WETH', 'USDC', 'WBTC'] as const
const addressOf = (symbol: string) => (symbol === 'ETH' ? nativeToken : world.token(symbol))
const decimalsOf = (symbol: string) =>
  symbol === 'ETH' ? 18 : world.chain.info.tokens.find((token) => token.symbol === symbol)!.decimals

let sent = 0
let payer: ReturnType<typeof payerIn>
/** A payment that is not booked. */
const pay = async (from: Person, to: Person, symbol: string, units: bigint) =>
  await payer.pay(from, to, addressOf(symbol), units)

async function trade(agent: string, from: string, to: string, share: bigint, fails: boolean) {
  const held =
    from === 'ETH'
      ? (await world.chain.balances(ada.address, [])).native
      : await holding(world, addressOf(from), ada.address)
  const input = {
    chain_id: 84_532,
    token_in_address: addressOf(from),
    token_out_address: addressOf(to),
    amount_in: `${held / share + 1n}`,
    amount_in_currency: 'base_units',
    slippage_bps: 300,
    simulate_only: false,
  }
  const request = {
    input,
    confirm: true,
    wallet_ref: 'default',
    idempotency_key: `key-${++sent}`,
    agent,
    skip_risk: true,
  }
  const { output } = await world.call<{ status: string; message: string }>('trading.execute', ada.userId, {
    ...request,
    ...(fails ? { thresholds: { max_price_impact_bps: 0, min_liquidity_usd: 1e15 } } : {}),
  })
  expect(output.status, output.message).toBe(fails ? 'rejected' : 'success')
}

/**
 * The sum of each token over all agents, in smallest units, by the books and by the chain. While a block is not yet
 * processed, deposits are booked at the next read.
 */
async function expectBooksToBeTrue() {
  const books = async () => (await world.call<Position[]>('metrics.positions', ada.userId, {})).output
  for (const symbol of symbols) {
    const there =
      symbol === 'ETH'
        ? (await world.chain.balances(ada.address, [])).native
        : await holding(world, addressOf(symbol), ada.address)
    const booked = async () =>
      (await books())
        .filter(({ token_symbol }) => token_symbol === symbol)
        .reduce((sum, { quantity_decimal }) => sum + units(quantity_decimal, decimalsOf(symbol)), 0n)
    await expect.poll(booked, { message: symbol }).toBe(there)
  }
}

function units(decimal: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

const step = fc.oneof(
  fc.record({
    kind: fc.constant('trade' as const),
    agent: fc.constantFrom('trading_team', 'momentum', 'carry'),
    pair: fc.constantFrom(
      ...symbols.flatMap((from) => symbols.filter((to) => to !== from).map((to) => [from, to] as const)),
    ),
    share: fc.bigInt({ min: 20n, max: 400n }),
    fails: fc.boolean(),
  }),
  fc.record({
    kind: fc.constantFrom('deposit' as const, 'withdrawal' as const),
    symbol: fc.constantFrom(...symbols),
    units: fc.bigInt({ min: 1n, max: 50_000n }),
  }),
)

test('the books equal the chain exactly after any trades, refusals, deposits and withdrawals', async () => {
  for (const one of fc.sample(step, { seed: 20_261, numRuns: sized(6, 16) })) {
    if (one.kind === 'trade') await trade(one.agent, ...one.pair, one.share, one.fails)
    else if (one.kind === 'deposit') await pay(bob, ada, one.symbol, one.units)
    else await pay(ada, bob, one.symbol, one.units)
    await expectBooksToBeTrue()
    await payer.expectFound(ada)
  }
  expect(world.failures).toEqual([])
})

test('profit is the value that the wallet gained beyond its deposits', async () => {
  const cleo = await world.person()
  const worth = async () => {
    const { output } = await world.call<{ tvl_usd_decimal: string }>('metrics.tvl', cleo.userId, { mode: 'agents' })
    return units(output.tvl_usd_decimal, 18)
  }
  const profit = async () => {
    const answers = await Promise.all([
      world.call<Profit>('metrics.realizedPnl', cleo.userId, {}),
      world.call<Profit>('metrics.unrealizedPnl', cleo.userId, {}),
    ])
    const signed = (text: string) => (text.startsWith('-') ? -units(text.slice(1), 18) : units(text, 18))
    return signed(answers[0].output.realized_pnl_usd_decimal) + signed(answers[1].output.unrealized_pnl_usd_decimal)
  }
  const [worthBefore, profitBefore] = [await worth(), await profit()]
  for (const [from, to] of [
    ['WETH', 'USDC'],
    ['USDC', 'WBTC'],
    ['WBTC', 'ETH'],
  ] as const) {
    const input = {
      ...{
        chain_id: 84_532,
        token_in_address: addressOf(from),
        token_out_address: addressOf(to),
        simulate_only: false,
      },
      amount_in: '500',
      amount_in_currency: 'usd',
      slippage_bps: 300,
    }
    const request = { input, confirm: true, wallet_ref: 'default', idempotency_key: `cleo-${from}`, skip_risk: true }
    const { output } = await world.call<{ status: string; message: string }>('trading.execute', cleo.userId, request)
    expect(output.status, output.message).toBe('success')
  }
  const difference = (await worth()) - worthBefore - ((await profit()) - profitBefore)
  expect(difference < 0n ? -difference : difference).toBeLessThan(10n ** 16n) // a cent
})

test('a snapshot values what is held as the summary does, and the series shows it', async () => {
  const ada = await world.person()
  const summary = await world.call<{ unrealized_pnl_usd_decimal: string }>('metrics.unrealizedPnl', ada.userId, {})
  await createSnapshots(world.ports)()
  const series = await world.call<{ points: { unrealized_pnl_usd_decimal: string }[] }>(
    'metrics.profitSeries',
    ada.userId,
    {
      bucket: 'hour',
    },
  )
  const { points } = series.output
  expect(points.at(-1)!.unrealized_pnl_usd_decimal).toBe(summary.output.unrealized_pnl_usd_decimal)
  expect(points.at(-2)!.unrealized_pnl_usd_decimal).toBeNull()
})

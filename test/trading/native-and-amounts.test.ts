import { afterAll, beforeAll, expect, test } from 'vitest'
import { nativeToken } from '../../src/domain/ports/chains.ts'
import { holding, openTradingWorld, type TradingWorld } from './world.ts'

type Answer = { status: string; message: string; amount_out: string; execution_id: string; quote: { route: string[] } }
type Position = { token_symbol: string; token_address: string; quantity_decimal: string }

let world: TradingWorld
let ada: { userId: number; address: `0x${string}` }

beforeAll(async () => {
  world = await openTradingWorld()
  ada = await world.person()
})
afterAll(async () => await world.close())

let keys = 0
const wei = async () => (await world.chain.balances(ada.address, [])).native
const swap = (from: string, to: string, amount: string, more: Record<string, unknown> = {}) => ({
  chain_id: 84_532,
  token_in_address: from,
  token_out_address: to,
  amount_in: amount,
  slippage_bps: 100,
  ...more,
})
const trade = async (input: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  (
    await world.call<Answer>('trading.execute', ada.userId, {
      confirm: true,
      wallet_ref: 'default',
      idempotency_key: `key-${++keys}`,
      ...more,
      input: { ...input, simulate_only: false },
    })
  ).output

/** The books of each token, over all agents, equal the chain to the last unit. */
async function expectBooksToBeTrue() {
  const { output } = await world.call<Position[]>('metrics.positions', ada.userId, {})
  const booked = new Map<string, bigint>()
  for (const { token_symbol: symbol, token_address: address, quantity_decimal: quantity } of output) {
    const [whole = '0', fraction = ''] = quantity.split('.')
    const units = BigInt(whole + fraction.padEnd(decimalsOf(symbol, address), '0'))
    booked.set(address, (booked.get(address) ?? 0n) + units)
  }
  for (const [address, units] of booked) {
    const held = address === nativeToken ? await wei() : await holding(world, address as `0x${string}`, ada.address)
    expect({ address, units }).toEqual({ address, units: held })
  }
}

const decimalsOf = (symbol: string, address: string) =>
  address === nativeToken ? 18 : world.chain.info.tokens.find((token) => token.symbol === symbol)!.decimals

test.each([
  ['native currency for a token', nativeToken, 'USDC', '0.25'],
  ['a token for native currency', 'USDC', nativeToken, '500'],
  ['native currency over two pools', nativeToken, 'WBTC', '0.2'],
  ['native currency written as routers do', '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', 'USDC', '0.1'],
  ['native currency for its wrapped token', nativeToken, 'WETH', '0.5'],
  ['the wrapped token for native currency', 'WETH', nativeToken, '0.3'],
])('%s is traded, and the books equal the chain', async (_name, from, to, amount) => {
  const address = (name: string) => (name.startsWith('0x') ? name : world.token(name))
  const input = swap(address(from), address(to), amount)
  const { output: tried } = await world.call<Answer>('trading.execute', ada.userId, { input, wallet_ref: 'default' })
  expect(tried.status, tried.message).toBe('simulated')
  const answer = await trade(input)
  expect(answer.status, answer.message).toBe('success')
  await expectBooksToBeTrue()
})

test('wrapping is one to one, over no pool, and counts as a trade', async () => {
  const answer = await trade(swap(nativeToken, world.token('WETH'), '0.125'), { agent: 'wrapper' })
  expect(answer).toMatchObject({ amount_out: '0.125', quote: { route: [nativeToken, world.token('WETH')] } })
  type Volume = { total_volume_usd: number }
  const { output } = await world.call<Volume>('metrics.volume', ada.userId, { agent: 'wrapper' })
  expect(output.total_volume_usd).toBeGreaterThan(100)
})

test('native currency is sold and bought on Uniswap v2', async () => {
  const rug = world.token('RUG')
  const bought = await trade(swap(nativeToken, rug, '0.01'), { skip_risk: true })
  expect(bought.status, bought.message).toBe('success')
  await expectBooksToBeTrue()
  const sold = await trade(swap(rug, nativeToken, bought.amount_out, { slippage_bps: 5_000 }), { skip_risk: true })
  expect(sold.status, sold.message).toBe('success')
  await expectBooksToBeTrue()
})

test('more native currency than the wallet has is refused before anything is sent', async () => {
  const answer = await trade(swap(nativeToken, world.token('USDC'), '1000000'))
  expect(answer).toMatchObject({ status: 'rejected', message: expect.stringMatching(/The wallet holds .* ETH/) })
})

test('an amount is in smallest units or in dollars, as requested', async () => {
  const [usdc, weth] = [world.token('USDC'), world.token('WETH')]
  const quote = async (input: Record<string, unknown>) =>
    (await world.call<{ expected_out: string; quote_id: string }>('trading.quote', ada.userId, { input })).output
  const [units, base] = [
    await quote(swap(usdc, weth, '100')),
    await quote(swap(usdc, weth, '100000000', { amount_in_currency: 'base_units' })),
  ]
  expect(Number(base.expected_out)).toBeCloseTo(Number(units.expected_out), 6)
  const before = await holding(world, usdc, ada.address)
  const dollars = swap(usdc, weth, '100', { amount_in_currency: 'usd' })
  const quoted = await quote(dollars)
  expect((await trade(dollars, { quote_id: quoted.quote_id })).status).toBe('success')
  const price = (await world.chain.price('USDC/USD'))!
  const paid = before - (await holding(world, usdc, ada.address))
  expect(Number(paid)).toBeCloseTo((100e6 * 10 ** price.decimals) / Number(price.answer), -2)
  await expectBooksToBeTrue()
})

test.each([
  ['base_units', '1.5', /has 1 digit after the point, and an amount in base_units takes none/],
  ['usd', '0.0000000000000000001', /19 digits after the point, and an amount in usd takes at most 18/],
  ['usd', '0.0000000000001', /smallest unit/],
])('an invalid amount in %s, %s, is refused with the field and its unit', async (currency, amount, message) => {
  const input = swap(world.token('WBTC'), world.token('USDC'), amount, { amount_in_currency: currency })
  await expect(world.call('trading.quote', ada.userId, { input })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { violations: [{ path: 'input.amount_in', message: expect.stringMatching(message) }] },
  })
})

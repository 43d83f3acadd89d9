import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openTradingWorld, type TradingWorld } from './world.ts'

type Quote = { quote_id: string; venue: string; expected_out: string }
type Check = { name: string; details: Record<string, unknown> }
type Answer = { status: string; message: string; quote: Quote; risk: { checks: Check[] } }

let world: TradingWorld
let ada: { userId: number }

beforeAll(async () => {
  world = await openTradingWorld()
  ada = await world.person()
})
afterAll(async () => await world.close())
afterEach(async () => {
  world.settings.venues = null
  await world.call('trading.setWalletPolicy', ada.userId, { wallet_ref: 'default', unlimited: true })
})

const limit = (venues: readonly string[]) =>
  world.call('trading.setWalletPolicy', ada.userId, { wallet_ref: 'default', venues })
const swap = (from: string, to: string, amount = '0.01') => ({
  chain_id: 84_532,
  amount_in: amount,
  slippage_bps: 100,
  token_in_address: world.token(from),
  token_out_address: world.token(to),
})
const quote = async (from: string, to: string, more: Record<string, unknown> = {}) =>
  (await world.call<Quote>('trading.quote', ada.userId, { input: swap(from, to), ...more })).output
let keys = 0
const trade = async (from: string, to: string, more: Record<string, unknown> = {}) => {
  const input = { ...swap(from, to), simulate_only: false }
  const request = { input, confirm: true, wallet_ref: 'default', idempotency_key: `key-${++keys}`, ...more }
  return (await world.call<Answer>('trading.execute', ada.userId, request)).output
}
const simulate = async (more: Record<string, unknown> = {}) =>
  (await world.call<Answer>('trading.execute', ada.userId, { input: swap('WETH', 'USDC'), ...more })).output

test('a trade takes the best of the venues that its wallet may use, and so do its simulation and its quote', async () => {
  expect((await quote('WETH', 'USDC')).venue).toBe('uniswap_v3')
  await limit(['uniswap_v2'])
  const older = { venue: 'uniswap_v2' }
  const steered = await quote('WETH', 'USDC', { wallet_ref: 'default' })
  expect(steered).toMatchObject(older)
  expect(await simulate({ wallet_ref: 'default' })).toMatchObject({ status: 'simulated', quote: older })
  const made = await trade('WETH', 'USDC')
  expect(made, made.message).toMatchObject({ status: 'success', quote: older })
  expect(made.risk.checks.find(({ name }) => name === 'price_sanity')?.details).toMatchObject(older)
  const bound = await trade('WETH', 'USDC', { quote_id: steered.quote_id })
  expect(bound, bound.message).toMatchObject({ status: 'success', quote: older })
  expect((await quote('WETH', 'USDC')).venue).toBe('uniswap_v3')
})

test('the configured venues limit every quote, and a wallet policy limits them further', async () => {
  world.settings.venues = ['uniswap_v2']
  expect((await quote('WETH', 'USDC')).venue).toBe('uniswap_v2')
  expect((await simulate()).quote.venue).toBe('uniswap_v2')
  expect(await trade('WETH', 'USDC')).toMatchObject({ status: 'success', quote: { venue: 'uniswap_v2' } })
  await limit(['uniswap_v3'])
  await expect(quote('WETH', 'USDC', { wallet_ref: 'default' })).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
  expect((await trade('WETH', 'USDC')).status).toBe('rejected')
})

test('where no allowed venue fills a swap, the refusal names the venue that would and the allowed ones', async () => {
  await limit(['uniswap_v3'])
  const message = /uniswap_v2.*uniswap_v3/
  await expect(quote('WETH', 'RUG', { wallet_ref: 'default' })).rejects.toThrow(message)
  const refused = await trade('WETH', 'RUG', { skip_risk: true })
  expect(refused).toMatchObject({ status: 'rejected', message: expect.stringMatching(message) })
})

test('a quote for a wallet of another account is refused', async () => {
  const eve = await world.person()
  await world.call('trading.createWallet', ada.userId, { wallet_ref: 'own' })
  const quoted = world.call('trading.quote', eve.userId, { input: swap('WETH', 'USDC'), wallet_ref: 'own' })
  await expect(quoted).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

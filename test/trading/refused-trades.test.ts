import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../src/contract/index.ts'
import { DomainError } from '../../src/domain/core/errors.ts'
import { evaluateTrade } from '../../src/domain/trading/evaluate-trade.ts'
import { readSwap } from '../../src/domain/values/swap.ts'
import { chainsWith } from './broken.ts'
import { ordersOf, type Person } from './orders.ts'
import { openTradingWorld, type TradingWorld } from './world.ts'

let world: TradingWorld
let ada: Person

beforeAll(async () => {
  world = await openTradingWorld()
  ada = await world.person()
})
afterAll(async () => await world.close())

const { real, execute } = ordersOf(() => ({ world, person: ada }))

test('where no risk may be skipped, no word of the account accepts one, and the trade waits on', async () => {
  const more = { skip_risk: true, await_confirmation: true }
  const { output } = await execute(real('0.01', more, { token_out_address: world.token('RUG') }))
  const decide = { execution_id: output.execution_id, approve: true, acknowledge: ['risk_high', 'risk_unknown'] }
  world.settings.skipRiskAllowed = false
  await expect(world.call('trading.confirmExecution', ada.userId, decide)).rejects.toMatchObject({
    code: 'FAILED_PRECONDITION',
    message: expect.stringMatching(/^The trade waits on: the risk is high now\. .*cannot be accepted/),
  })
  world.settings.skipRiskAllowed = true
  expect(await world.ports.executions.state(output.execution_id)).toBe('awaiting_confirmation')
  const { output: made } = await world.call('trading.confirmExecution', ada.userId, decide)
  expect(made).toMatchObject({ status: 'success', execution_id: output.execution_id })
})

describe('a refused trade does not use its idempotency key', () => {
  const refused = async (request: ReturnType<typeof real>) => {
    const { output } = await execute(request)
    expect(await world.ports.executions.findByKey(ada.userId, request.idempotency_key)).toBeNull()
    return output
  }

  test('where the wallet has too little', async () => {
    expect(await refused(real('4000'))).toMatchObject({ status: 'rejected', message: expect.stringContaining('holds') })
  })

  test('so that another request can use the key', async () => {
    const first = real('4000')
    const { idempotency_key } = first
    expect(await refused(first)).not.toHaveProperty('execution_id')
    const { output } = await execute(real('0.01', { idempotency_key }))
    expect(output).toMatchObject({ status: 'success', execution_id: expect.any(String) })
    await expect(execute(first)).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
  })

  test('at high risk, with the report', async () => {
    const output = await refused(real('0.01', {}, { token_out_address: world.token('RUG') }))
    expect(output.status).toBe('rejected')
    expect(output.risk.level).toMatch(/high|unknown/)
    expect(output.message).toContain(output.risk.flags[0])
  })

  test('beyond a threshold of the caller, with or without the risk checks', async () => {
    for (const skip_risk of [false, true]) {
      const output = await refused(real('0.01', { skip_risk, thresholds: { min_liquidity_usd: 1e14 } }))
      expect(output).toMatchObject({
        status: 'rejected',
        message: expect.stringContaining('liquidity_below_threshold'),
      })
    }
  })

  test('without the risk checks, where they cannot be left out, and its simulation is refused alike', async () => {
    world.settings.skipRiskAllowed = false
    for (const simulate_only of [false, true]) {
      const trade = execute(real('0.01', { skip_risk: true }, { simulate_only }))
      await expect(trade).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
        message: expect.stringMatching(/skip_risk/),
      })
    }
    world.settings.skipRiskAllowed = true
  })

  test('above the caps, which count concurrent trades together', async () => {
    const cato = await world.person()
    world.settings.maxTradeUsd = 10n * 10n ** 18n
    expect((await refused(real('0.5'))).message).toContain('MAX_TRADE_USD')
    world.settings.maxTradeUsd = null
    world.settings.maxDailyUsd = 100n * 10n ** 18n
    const both = await Promise.all([1, 2].map(() => execute(real('0.03', { skip_risk: true }), cato.userId)))
    world.settings.maxDailyUsd = null
    expect(both.map(({ output }) => output.status).sort()).toEqual(['rejected', 'success'])
  })

  test('above the limits of the wallet policy, which count concurrent trades together', async () => {
    const dora = await world.person()
    const limit = (policy: Record<string, unknown>) =>
      world.call('trading.setWalletPolicy', dora.userId, { wallet_ref: 'default', ...policy })
    const trade = async (more: Record<string, unknown> = {}) =>
      (await execute(real('0.03', { skip_risk: true, ...more }), dora.userId)).output
    await limit({ venues: ['wrapped_native'] })
    expect(await trade()).toMatchObject({
      status: 'rejected',
      message: expect.stringMatching(/wallet.*wrapped_native/),
    })
    await limit({ tokens: [world.token('WETH')] })
    expect(await trade()).toMatchObject({
      status: 'rejected',
      message: expect.stringContaining(`${world.token('USDC')}; it allows ${world.token('WETH')}`),
    })
    await limit({ max_trade_usd: '10' })
    expect(await trade()).toMatchObject({
      status: 'rejected',
      message: expect.stringContaining("wallet's cap of 10 USD"),
    })
    await limit({ max_daily_usd: '250' })
    const all = await Promise.all([1, 2, 3, 4].map(() => trade()))
    expect(all.map(({ status }) => status).toSorted()).toEqual(['rejected', 'rejected', 'success', 'success'])
    const { output } = await world.call('trading.getWalletPolicy', dora.userId, { wallet_ref: 'default' })
    expect(output).toEqual({ wallet_ref: 'default', max_daily_usd: '250' })
    await expect(limit({ chains: [84_532, 1] })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { violations: [{ path: 'chains.1', code: 'unknown_chain' }] },
    })
    const mistyped = { tokens: [world.token('WETH'), `${world.token('USDC').slice(0, -4).toLowerCase()}beef`] }
    await expect(limit(mistyped)).rejects.toMatchObject({
      message: expect.stringContaining(`USDC ${world.token('USDC')}`),
      details: { violations: [{ path: 'tokens.1', code: 'unknown_token' }] },
    })
    const stranger = world.call('trading.setWalletPolicy', ada.userId, { wallet_ref: 'nobodys', unlimited: true })
    await expect(stranger).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect((await limit({ unlimited: true })).output).toEqual({ wallet_ref: 'default' })
  })

  test('for the first reason in a fixed order, both simulated and traded', async () => {
    const eve = await world.person()
    // The quote's price was changed since by a larger trade, so the swap itself would revert.
    const input = { ...real('0.05').input, slippage_bps: 0 }
    const { output: quote } = await world.call<{ quote_id: string }>('trading.quote', eve.userId, {
      input: { ...input, simulate_only: undefined },
    })
    expect((await execute(real('3', { skip_risk: true }, { slippage_bps: 500 }))).output.status).toBe('success')
    const both = async (more: Record<string, unknown>) => {
      const order = real('0.05', { skip_risk: true, quote_id: quote.quote_id, ...more }, { slippage_bps: 0 })
      const simulated = await execute({ ...order, input: { ...order.input, simulate_only: true } }, eve.userId)
      const traded = await execute(order, eve.userId)
      return [simulated.output, traded.output].map(({ status, message }) => ({ status, message }))
    }
    for (const { status, message } of await both({})) {
      expect(status).toBe('failed')
      expect(message).toMatch(/would fail/)
    }
    const crossed = await both({ thresholds: { min_liquidity_usd: 1e14 } })
    for (const { status, message } of crossed) {
      expect(status).toBe('rejected')
      expect(message).toContain('liquidity_below_threshold')
    }
    await world.call('trading.setWalletPolicy', eve.userId, { wallet_ref: 'default', max_trade_usd: '1' })
    for (const { status, message } of await both({ thresholds: { min_liquidity_usd: 1e14 } })) {
      expect(status).toBe('rejected')
      expect(message).toContain("the wallet's cap of 1 USD")
    }
  })

  test('by a policy also where the node fails in the simulation, which decides nothing then', async () => {
    const chains = chainsWith(world.ports, () => ({
      simulateSwap: () => Promise.reject(new DomainError('UNAVAILABLE', 'The node is gone.')),
    }))
    const order = real('0.01', { skip_risk: true })
    const { output: quote } = await world.call<{ quote_id: string }>('trading.quote', ada.userId, {
      input: { ...order.input, simulate_only: undefined },
    })
    const request = contract.trading.execute.input.parse({ ...order, quote_id: quote.quote_id })
    const candidate = {
      userId: ada.userId,
      grant: null,
      request,
      swap: await readSwap(chains, request.input),
      wallet: ada.address,
    }
    const evaluate = () =>
      evaluateTrade({ ...world.ports, chains }, candidate, (code, message) => new DomainError(code, message))
    world.settings.maxTradeUsd = 10n ** 18n
    expect(await evaluate()).toMatchObject({ refused: { check: 'policy' }, simulation: null })
    world.settings.maxTradeUsd = null
    await expect(evaluate()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('while an operator has halted it', async () => {
    for (const halt of [
      { scope: 'global' },
      { scope: 'chain', id: '84532' },
      { scope: 'wallet', id: ada.address.toLowerCase() },
    ]) {
      await world.call('operator.haltTrading', 0, halt)
      const request = real('0.01')
      await expect(execute(request)).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringContaining('halted'),
      })
      const { output } = await world.call('operator.resumeTrading', 0, halt)
      expect(output).toEqual({ halts: [] })
      expect(await world.ports.executions.findByKey(ada.userId, request.idempotency_key)).toBeNull()
    }
  })

  test('from a wallet of another account', async () => {
    await expect(execute(real('0.01', { wallet_ref: 'nobodys' }))).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

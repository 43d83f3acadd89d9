import { toFunctionSelector } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nativeToken } from '../../src/domain/ports/chains.ts'
import { formatUnits } from '../../src/domain/values/money.ts'
import { ordersOf, type Person } from './orders.ts'
import { holding, openTradingWorld, type TradingWorld } from './world.ts'

let world: TradingWorld
let ada: Person

beforeAll(async () => {
  world = await openTradingWorld()
  ada = await world.person()
})
afterAll(async () => await world.close())

const { swap, real, execute } = ordersOf(() => ({ world, person: ada }))

describe('a real trade', () => {
  test('moves the tokens that it returns, and is booked', async () => {
    const before = await holding(world, world.token('USDC'), ada.address)
    const { output } = await execute(real('0.5'))
    expect(output).toMatchObject({ status: 'success', risk: { level: 'low' } })
    const received = (await holding(world, world.token('USDC'), ada.address)) - before
    expect(output.amount_out.replace('.', '')).toBe(received.toString().replace(/0+$/, ''))
    expect(Number(output.amount_out)).toBeGreaterThanOrEqual(Number(output.minimum_out))
    expect(output.explorer_url).toBe(`http://localhost/explorer/tx/${output.tx_hash}`)
    expect(await world.chain.receipt(output.tx_hash)).toMatchObject({ status: 'success' })

    const shown = await world.call('trading.getExecution', ada.userId, { execution_id: output.execution_id })
    expect(shown.output).toMatchObject({
      status: 'success',
      state: 'included',
      fill: { amount_in: '0.5', amount_out: output.amount_out },
    })
    const positions = (await world.call<Record<string, unknown>[]>('metrics.positions', ada.userId, {})).output
    const usdc = positions.find(({ token_symbol }) => token_symbol === 'USDC')
    expect(usdc).toMatchObject({ agent: 'trading_team', quantity: 25_000 + Number(output.amount_out) })
    const native = positions.find(({ token_symbol }) => token_symbol === 'ETH')
    expect(native!.quantity).toBeCloseTo(Number((await world.chain.balances(ada.address, [])).native) / 1e18, 12)
    const volume = (await world.call<{ total_volume_usd: number }>('metrics.volume', ada.userId, {})).output
    expect(volume.total_volume_usd).toBeGreaterThan(100)
  })

  test('sent again with its key returns the first trade; a different request with the key is refused', async () => {
    const request = real('0.01')
    const first = await execute(request)
    const again = await execute(request)
    expect(again.replayed).toBe(true)
    expect(again.output).toMatchObject({
      tx_hash: first.output.tx_hash,
      execution_id: first.output.execution_id,
      replayed: true,
      quote: first.output.quote,
      risk: first.output.risk,
    })
    await expect(execute({ ...request, input: swap('0.02', { simulate_only: false }) })).rejects.toMatchObject({
      code: 'ALREADY_EXISTS',
    })
  })

  test('requested twice at the same time is made once', async () => {
    const nonce = await world.chain.nonce(ada.address, 'latest')
    const request = real('0.011')
    const [one, two] = await Promise.all([execute(request), execute(request)])
    expect(one.output.tx_hash).toBe(two.output.tx_hash)
    expect([one.replayed, two.replayed].sort()).toEqual([false, true])
    expect(await world.chain.nonce(ada.address, 'latest')).toBe(nonce + 2) // an approval and a swap
  })

  test('ten concurrent trades from one wallet all succeed, without a nonce gap', async () => {
    const bob = await world.person()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => execute(real(`0.01${index}`, { skip_risk: true }), bob.userId)),
    )
    expect(answers.map(({ output }) => output.message)).toEqual(Array(10).fill(expect.stringContaining('Swapped')))
    const nonces = await world.chain.nonce(bob.address, 'latest')
    expect(nonces).toBe(await world.chain.nonce(bob.address, 'pending'))
    expect(new Set(answers.map(({ output }) => output.tx_hash)).size).toBe(10)
  })

  test('of another agent sells what the default agent lends it', async () => {
    const { output } = await execute(real('0.02', { agent: 'momentum' }))
    expect(output.status).toBe('success')
    const { output: positions } = await world.call<Record<string, unknown>[]>('metrics.positions', ada.userId, {
      agent: 'momentum',
    })
    expect(positions).toMatchObject([{ token_symbol: 'USDC', quantity_decimal: output.amount_out }])
    const { output: volume } = await world.call<{ by_agent: { key: string }[] }>('metrics.volume', ada.userId, {
      agent: 'momentum',
    })
    expect(volume.by_agent.map((one) => one.key)).toEqual(['momentum'])
  })
})

describe('a quote named in a trade', () => {
  const quoted = async (amount: string) =>
    (await world.call<{ quote_id: string; expected_out: string }>('trading.quote', ada.userId, { input: swap(amount) }))
      .output

  test('is traded once', async () => {
    const { quote_id } = await quoted('0.03')
    expect((await execute(real('0.03', { quote_id }))).output.status).toBe('success')
    const again = real('0.03', { quote_id })
    await expect(execute(again)).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      message: expect.stringContaining('new quote'),
    })
    await expect(world.ports.executions.findByKey(ada.userId, again.idempotency_key)).resolves.toBeNull()
  })

  test('must be of the same swap, of the account, and known', async () => {
    const { quote_id } = await quoted('0.03')
    await expect(execute(real('0.04', { quote_id }))).rejects.toMatchObject({
      details: { violations: [{ path: 'input.amount_in' }] },
    })
    await expect(execute(real('0.04', { quote_id: 'unknown' }))).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('a simulation', () => {
  test('is made with or without confirm, and sends nothing', async () => {
    const nonce = await world.chain.nonce(ada.address, 'pending')
    for (const request of [
      { input: swap('0.5') },
      { input: swap('0.5', { simulate_only: true }), confirm: true, wallet_ref: 'default' },
    ]) {
      const { output } = await execute(request)
      expect(output).toMatchObject({ status: 'simulated', gas_used: expect.stringMatching(/^\d+$/) })
      expect(Number(output.expected_out)).toBeGreaterThan(100)
      expect(output.tx_hash).toBeUndefined()
    }
    expect(await world.chain.nonce(ada.address, 'pending')).toBe(nonce)
  })

  test('says what would be signed, which is what a trade then signs', async () => {
    const { output } = await execute({ input: swap('0.02'), wallet_ref: 'default' })
    const [approval, exchange, ...others] = output.transactions!
    expect(others).toEqual([])
    expect(approval).toMatchObject({
      to: world.token('WETH'),
      value: '0',
      function: 'approve(address,uint256)',
      purpose: 'allows the router to take 0.02 WETH',
    })
    expect(exchange!.purpose).toMatch(/^swaps 0\.02 WETH for at least [\d.]+ USDC on uniswap_v[23], until 20.*Z$/)
    expect(exchange!.purpose).toContain(` ${output.minimum_out} `)
    const { execution_id } = (await execute(real('0.02'))).output
    const sent = await world.ports.outbox.byReference({ kind: 'trade', id: execution_id! })
    expect(sent.map(({ call }) => [call.to, call.value])).toEqual([
      [approval!.to, 0n],
      [exchange!.to, 0n],
    ])
    expect(sent[0]!.call.data).toBe(approval!.data)
    // The minimum and the deadline follow the block of the quote.
    expect(sent[1]!.call.data.slice(0, 10)).toBe(exchange!.data.slice(0, 10))
    expect(sent[1]!.call.data).toHaveLength(exchange!.data.length)
  })

  test('of native currency signs one transaction that sends it, also for somebody without a wallet', async () => {
    const wrapping = swap('0.25', { token_in_address: nativeToken, token_out_address: world.token('WETH') })
    for (const who of [{}, { wallet_ref: 'default' }])
      expect((await execute({ input: wrapping, ...who })).output.transactions).toEqual([
        {
          to: world.token('WETH'),
          value: '0.25',
          data: toFunctionSelector('deposit()'),
          function: 'deposit()',
          purpose: 'exchanges 0.25 ETH for as much WETH',
        },
      ])
  })

  test('of more than the wallet holds, gas included, is rejected as the trade would be', async () => {
    const whole = formatUnits((await world.chain.balances(ada.address, [])).native, 18)
    for (const [amount, input] of [
      ['400', {}],
      [whole, { token_in_address: nativeToken }],
    ] as const) {
      const rejected = {
        status: 'rejected',
        message: expect.stringMatching(/The wallet holds .* [Ff]und the wallet/),
      }
      expect((await execute({ input: swap(amount, input), wallet_ref: 'default' })).output).toMatchObject(rejected)
      expect((await execute(real(amount, {}, input))).output).toMatchObject(rejected)
    }
  })

  test('returns the limits of the wallet and of the gateway that would refuse the trade', async () => {
    const simulate = async (more = {}) => (await execute({ input: swap('0.01'), ...more })).output
    world.settings.maxTradeUsd = 10n ** 18n
    const capped = await simulate()
    world.settings.maxTradeUsd = null
    expect(capped).toMatchObject({ status: 'simulated', message: expect.stringMatching(/rejected\. .*MAX_TRADE_USD/) })
    await world.call('trading.setWalletPolicy', ada.userId, { wallet_ref: 'default', max_trade_usd: '2' })
    expect((await simulate({ wallet_ref: 'default' })).message).toMatch(/rejected\. .*the wallet's cap of 2/)
    await world.call('trading.setWalletPolicy', ada.userId, { wallet_ref: 'default', unlimited: true })
    expect((await simulate({ wallet_ref: 'default' })).message).not.toContain('rejected')
  })
})

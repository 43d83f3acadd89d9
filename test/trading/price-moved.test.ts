import { type Hex, recoverTransactionAddress, type TransactionSerialized } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DomainError } from '../../src/domain/core/errors.ts'
import type { Chain } from '../../src/domain/ports/chains.ts'
import { formatUnits } from '../../src/domain/values/money.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { chainsWith } from './broken.ts'
import { ordersOf, type Person } from './orders.ts'
import { openTradingWorld, type TradingWorld } from './world.ts'

let world: TradingWorld
let ada: Person
let cato: Person
let eve: Person

beforeAll(async () => {
  world = await openTradingWorld()
  ada = await world.person()
  cato = await world.person()
  eve = await world.person()
})
afterAll(async () => await world.close())

const { swap, real, execute } = ordersOf(() => ({ world, person: eve }))
const quoted = async (amount: string, slippage_bps: number) =>
  (
    await world.call<{ quote_id: string; expected_out: string; minimum_out: string }>('trading.quote', eve.userId, {
      input: swap(amount, { slippage_bps }),
    })
  ).output

/** Another account sells so much that the price of the pool falls by more than a quarter of a percent. */
async function moveThePrice({ userId }: Person) {
  const { output } = await execute(real('4', { skip_risk: true }, { slippage_bps: 500 }), userId)
  expect(output.status).toBe('success')
}

/** What the quote was, what its route yields now, and by how much less, in percent rounded up to hundredths. */
async function moved({ quote_id, expected_out }: { quote_id: string; expected_out: string }) {
  const { route, amountIn, expectedOut } = (await world.ports.quotes.find(eve.userId, quote_id))!
  const plan = { route, owner: eve.address, amountIn, minimumOut: 0n, deadline: 2n ** 40n }
  const { amountOut } = (await world.chain.simulateSwap(plan, { fundOwner: true })) as { amountOut: bigint }
  const loss = (Math.ceil((Number(expectedOut - amountOut) / Number(expectedOut)) * 10_000) / 100).toFixed(2)
  return `It was quoted at ${expected_out} USDC and yields ${formatUnits(amountOut, 6)} USDC now, ${loss} % less; with a slippage of 0.05 % it must yield`
}

test('a trade below its minimum names the quote, the present yield, the change and the slippage', async () => {
  const first = await quoted('0.05', 5)
  await moveThePrice(ada)
  const words = `${await moved(first)} ${first.minimum_out} USDC. Request a new quote, or allow more slippage_bps`
  const order = real('0.05', { skip_risk: true, quote_id: first.quote_id }, { slippage_bps: 5 })
  for (const simulate_only of [true, false]) {
    const { output } = await execute({ ...order, input: { ...order.input, simulate_only } })
    expect(output).toMatchObject({ status: 'failed', message: expect.stringContaining(words) })
  }
})

test('a trade whose price moved after it was sent says the same once it is mined', async () => {
  let held = true
  const holding = (chain: Chain): Partial<Chain> => ({
    broadcast: async (raw) => {
      const from = await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized })
      if (held && (from.toLowerCase() as Hex) === eve.address.toLowerCase())
        throw new DomainError('UNAVAILABLE', 'The node does not respond.')
      return await chain.broadcast(raw)
    },
  })
  await world.breakAt((ports) => ({ chains: chainsWith(ports, holding) }))
  await world.resume()
  const first = await quoted('0.05', 5)
  const order = real('0.05', { skip_risk: true, quote_id: first.quote_id }, { slippage_bps: 5 })
  const answer = execute(order)
  const reserved = async () => (await world.ports.executions.findByKey(eve.userId, order.idempotency_key))?.state
  await until(async () => ['reserved', 'signed', 'broadcast'].includes(String(await reserved())), 'the reservation')
  await moveThePrice(cato)
  held = false
  const { output } = await answer
  expect(output).toMatchObject({
    status: 'failed',
    message: expect.stringMatching(/mined and reverted: .*(received|INSUFFICIENT_OUTPUT)/),
  })
  expect(output.message).toContain(await moved(first))
})

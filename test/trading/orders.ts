import type { Hex } from '../../src/domain/ports/chains.ts'
import type { TradingWorld } from './world.ts'

export type Person = { userId: number; address: Hex }

/** The fields of a trade's or a simulation's response that the tests read. */
export type Answer = {
  status: string
  message: string
  execution_id: string
  tx_hash: Hex
  explorer_url: string
  amount_out: string
  minimum_out: string
  expected_out: string
  replayed?: boolean
  transactions?: { to: Hex; value: string; data: Hex; function: string; purpose: string }[]
  quote: { quote_id: string }
  risk: { level: string; flags: string[] }
}

/** Orders of WETH for USDC by a user of a world, which may be opened later; each has a new key. */
export function ordersOf(place: () => { world: TradingWorld; person: { userId: number } }) {
  let keys = 0
  const swap = (amount: string, more: Record<string, unknown> = {}) => {
    const { world } = place()
    return {
      chain_id: 84_532,
      token_in_address: world.token('WETH'),
      token_out_address: world.token('USDC'),
      amount_in: amount,
      slippage_bps: 100,
      ...more,
    }
  }
  const real = (amount: string, more: Record<string, unknown> = {}, input: Record<string, unknown> = {}) => ({
    input: swap(amount, { simulate_only: false, ...input }),
    confirm: true,
    wallet_ref: 'default',
    idempotency_key: `key-${++keys}`,
    ...more,
  })
  const execute = (request: Record<string, unknown>, userId = place().person.userId) =>
    place().world.call<Answer>('trading.execute', userId, request)
  return { swap, real, execute }
}

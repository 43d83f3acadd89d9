import { expect } from 'vitest'
import type { Hex } from '../../src/domain/ports/chains.ts'
import { holding, type TradingWorld } from './world.ts'

export type Answer = {
  status: string
  message: string
  execution_id: string
  tx_hash: Hex
  amount_out: string
  finality?: string
}

export type Person = { userId: number; address: Hex }

/** What one person asks and what is known of it. */
export function traderOf(world: TradingWorld, { userId, address }: Person) {
  let keys = 0
  const request = (amount: string) => ({
    input: {
      chain_id: 84_532,
      token_in_address: world.token('WETH'),
      token_out_address: world.token('USDC'),
      amount_in: amount,
      slippage_bps: 300,
      simulate_only: false,
    },
    confirm: true,
    skip_risk: true,
    wallet_ref: 'default',
    idempotency_key: `key-${address}-${++keys}`,
  })
  const legs = async (id: string) => await world.ports.outbox.byReference(id)
  return {
    execute: async (amount: string, more: Record<string, unknown> = {}) =>
      (await world.call<Answer>('trading.execute', userId, { ...request(amount), ...more })).output,
    newest: async () => (await world.ports.executions.list(userId, null, 1))[0],
    load: async (id: string) => (await world.ports.executions.load(id))!,
    told: async (id: string) => (await world.ports.executions.moves(id, 0)).map(({ state }) => state),
    legs,
    /** The books hold what the chain holds, to the last unit. */
    async expectTrueBooks() {
      const tokens = ['WETH', 'USDC'].map((symbol) => world.token(symbol))
      const rows = await world.ports.ledger.positions({ userId })
      const booked = (token: string) =>
        rows.reduce((sum, row) => (row.token.toLowerCase() === token.toLowerCase() ? sum + row.quantity : sum), 0n)
      for (const token of tokens) expect(booked(token)).toBe(await holding(world, token, address))
      expect(booked(`0x${'00'.repeat(20)}`)).toBe((await world.chain.balances(address, [])).native)
    },
  }
}

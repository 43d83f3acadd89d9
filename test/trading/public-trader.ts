import { expect } from 'vitest'
import { parseReference } from '../../src/domain/core/reference.ts'
import { ordersOf, type Person } from './orders.ts'
import { holding, type TradingWorld } from './world.ts'

/** The requests and results of one user. */
export function traderOf(world: TradingWorld, person: Person) {
  const { userId, address } = person
  const { real, execute } = ordersOf(() => ({ world, person }))
  const legs = async (id: string) => await world.ports.outbox.byReference(parseReference(id))
  return {
    execute: async (amount: string, more: Record<string, unknown> = {}) =>
      (await execute(real(amount, { skip_risk: true, ...more }, { slippage_bps: 300 }))).output,
    timelineOf: async (execution_id: string) => {
      const read = world.call<{ steps: { step: string }[] }>('trading.getTimeline', userId, { execution_id })
      return (await read).output.steps.map(({ step }) => step)
    },
    newest: async () => (await world.ports.executions.list(userId, { cursor: null }, 1)).items[0],
    load: async (id: string) => (await world.ports.executions.load(id))!,
    statesOf: async (id: string) => (await world.ports.executions.moves(id, 0)).map(({ state }) => state),
    legs,
    /** The books equal the chain to the last unit. */
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

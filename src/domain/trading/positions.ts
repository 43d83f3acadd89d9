import type { Hex } from '../ports/chains.ts'
import type { PositionRow } from '../ports/trades.ts'
import { acquire, dispose, type Holding, nothing, transfer } from './average-cost.ts'

/** The agent that owns deposits, and lends to the others what they sell beyond their own. */
export const defaultAgent = 'trading_team'

/** The wallet of an account that a posting is about. */
export type Place = Pick<PositionRow, 'userId' | 'walletAddress' | 'chainId'>

/** A quantity of a token and what it was worth, in smallest units and 1e-18 USD. */
export type Amount = { token: Hex; quantity: bigint; valueUsd: bigint }

/** Starts a posting over the stored positions of the wallet; `rows` answers what they have become. */
export function openBook(place: Place, stored: readonly PositionRow[], at: Date) {
  const holdings = new Map<string, { agent: string; token: Hex; holding: Holding }>()
  for (const row of stored) holdings.set(keyOf(row.agent, row.token), { ...row, holding: holdingOf(row) })

  const read = (agent: string, token: Hex): Holding => holdings.get(keyOf(agent, token))?.holding ?? nothing
  const write = (agent: string, token: Hex, holding: Holding): void => {
    holdings.set(keyOf(agent, token), { agent, token, holding })
  }

  /** Gives the agent the quantity: first what the default agent holds, then what the books never saw, as a deposit. */
  function provide(agent: string, { token, quantity, valueUsd }: Amount): void {
    const lacking = quantity - read(agent, token).quantity
    if (lacking <= 0n) return
    const lender = read(defaultAgent, token)
    const lent = agent === defaultAgent ? 0n : smaller(lacking, lender.quantity)
    const moved = transfer(lender, read(agent, token), lent)
    if (agent !== defaultAgent) write(defaultAgent, token, moved.from)
    const unseen = lacking - lent
    const holding = agent === defaultAgent ? lender : moved.to
    write(agent, token, acquire(holding, unseen, (valueUsd * unseen) / quantity))
  }

  return {
    deposit(agent: string, { token, quantity, valueUsd }: Amount): void {
      write(agent, token, acquire(read(agent, token), quantity, valueUsd))
    },
    /** Sells for its value and answers the profit; what the agent lacks is provided first. */
    sell(agent: string, amount: Amount, proceedsUsd: bigint): bigint {
      provide(agent, amount)
      const before = read(agent, amount.token)
      const after = dispose(before, amount.quantity, proceedsUsd)
      write(agent, amount.token, after)
      return after.realizedPnlUsd - before.realizedPnlUsd
    },
    rows(): PositionRow[] {
      return [...holdings.values()].map(({ agent, token, holding }) => ({
        ...place,
        agent,
        token,
        ...holding,
        updatedAt: at,
      }))
    },
  }
}

function holdingOf({ quantity, costUsd, realizedPnlUsd }: PositionRow): Holding {
  return { quantity, costUsd, realizedPnlUsd }
}

function keyOf(agent: string, token: Hex): string {
  return `${agent} ${token.toLowerCase()}`
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

import { type Hex, sameAddress } from '../ports/chains.ts'
import type { Basis, Entry, PositionRow, WalletKey } from '../ports/ledger.ts'
import { acquire, costOf, dispose, type Holding, nothing, transfer } from './average-cost.ts'

/**
 * The default agent. It owns deposits, and tokens are taken from it first when another agent sells more than it holds.
 */
export const defaultAgent = 'trading_team'

/** A quantity of a token and what it was worth, in smallest units and 1e-18 USD. */
type Amount = { token: Hex; quantity: bigint; valueUsd: bigint }

/** The counterparty of a movement: where tokens of a wallet come from or go to. */
type Other = 'market' | 'gas' | 'outside'

/** A sale: the holding before it, and the value and the profit of what was sold. */
type Sold = { basis: Basis; valueUsd: bigint; profitUsd: bigint }

/** Starts a posting over the stored positions of the wallet; `rows` returns the new positions, `entries` the lines of the booking. */
export function openBook(place: WalletKey, stored: readonly PositionRow[], at: Date) {
  const holdings = new Map<string, { agent: string; token: Hex; holding: Holding; openedAt: Date | null }>()
  for (const row of stored) holdings.set(keyOf(row.agent, row.token), { ...row, holding: asHolding(row) })

  const entries: Entry[] = []

  // Writes both sides of each movement, so that the entries sum to zero (L1).
  const move = (from: string, to: string, token: Hex, quantity: bigint): void => {
    if (quantity === 0n) return
    entries.push({ account: from, token, quantity: -quantity }, { account: to, token, quantity })
  }
  const read = (agent: string, token: Hex): Holding => holdings.get(keyOf(agent, token))?.holding ?? nothing
  const write = (agent: string, token: Hex, holding: Holding): void => {
    const before = holdings.get(keyOf(agent, token))
    // What is bought after everything was sold is a new position.
    const isOpen = before !== undefined && (before.holding.quantity > 0n || holding.quantity === 0n)
    holdings.set(keyOf(agent, token), { agent, token, holding, openedAt: isOpen ? before.openedAt : at })
  }

  /** Agents that can lend a token, the default agent first. */
  const lendersOf = (token: Hex, borrower: string): string[] =>
    [...holdings.values()]
      .filter((other) => sameAddress(other.token, token) && other.agent !== borrower && other.holding.quantity > 0n)
      .map(({ agent }) => agent)
      .sort((a, b) => Number(b === defaultAgent) - Number(a === defaultAgent) || (a < b ? -1 : 1))

  /** Gives the agent the quantity: first from other agents of the wallet, then as a deposit that was not booked yet. */
  function provide(agent: string, { token, quantity, valueUsd }: Amount): void {
    let lacking = quantity - read(agent, token).quantity
    for (const lender of lacking > 0n ? lendersOf(token, agent) : []) {
      const lent = smaller(lacking, read(lender, token).quantity)
      const moved = transfer(read(lender, token), read(agent, token), lent)
      write(lender, token, moved.from)
      write(agent, token, moved.to)
      move(holdingOf(lender), holdingOf(agent), token, lent)
      lacking -= lent
      if (lacking === 0n) break
    }
    if (lacking <= 0n) return
    write(agent, token, acquire(read(agent, token), lacking, (valueUsd * lacking) / quantity))
    move('outside', holdingOf(agent), token, lacking)
  }

  return {
    deposit(agent: string, { token, quantity, valueUsd }: Amount, from: Other): void {
      move(from, holdingOf(agent), token, quantity)
      write(agent, token, acquire(read(agent, token), quantity, valueUsd))
    },
    /** Sells for so much in 1e-18 USD, or at cost; tokens that the agent lacks are provided first. */
    sell(agent: string, amount: Amount, proceeds: bigint | 'cost', to: Other): Sold {
      provide(agent, amount)
      move(holdingOf(agent), to, amount.token, amount.quantity)
      const before = read(agent, amount.token)
      const valueUsd = proceeds === 'cost' ? costOf(before, amount.quantity) : proceeds
      const after = dispose(before, amount.quantity, valueUsd)
      write(agent, amount.token, after)
      const { quantity, costUsd } = before
      return { basis: { quantity, costUsd }, valueUsd, profitUsd: after.realizedPnlUsd - before.realizedPnlUsd }
    },
    /** Takes a quantity out at its average cost; tokens that the agent lacks are provided first. */
    withdraw(agent: string, { token, quantity, valueUsd }: Amount): void {
      provide(agent, { token, quantity, valueUsd })
      move(holdingOf(agent), 'outside', token, quantity)
      write(agent, token, transfer(read(agent, token), nothing, quantity).from)
    },
    entries,
    /** Since when the agent holds the token; null where it does not, or where that is not known. */
    openedAt: (agent: string, token: Hex): Date | null => holdings.get(keyOf(agent, token))?.openedAt ?? null,
    rows(): PositionRow[] {
      return [...holdings.values()].map(({ agent, token, holding, openedAt }) => ({
        ...place,
        agent,
        token,
        ...holding,
        openedAt,
        updatedAt: at,
      }))
    },
  }
}

function holdingOf(agent: string): string {
  return `holding:${agent}`
}

function asHolding({ quantity, costUsd, realizedPnlUsd }: PositionRow): Holding {
  return { quantity, costUsd, realizedPnlUsd }
}

function keyOf(agent: string, token: Hex): string {
  return `${agent} ${token.toLowerCase()}`
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

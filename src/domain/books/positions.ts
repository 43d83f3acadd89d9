import { type Hex, sameAddress } from '../ports/chains.ts'
import type { Basis, Entry, Portion, PositionRow, WalletKey } from '../ports/ledger.ts'
import { acquire, dispose, type Holding, nothing, smaller, take, transfer } from './average-cost.ts'

/**
 * The default agent. It owns deposits, and tokens are taken from it first when another agent sells more than it holds.
 */
export const defaultAgent = 'trading_team'

/** A quantity of a token and what it was worth, in smallest units and 1e-18 USD. */
export type Amount = { token: Hex; quantity: bigint; valueUsd: bigint }

/** The counterparty of a movement: where tokens of a wallet come from or go to. */
type Other = 'market' | 'gas' | 'outside' | 'own' | 'bridge'

/** A sale: the holding before it, and the value and the profit of what was sold. */
type Sold = { basis: Basis; valueUsd: bigint; profitUsd: bigint }

/** Starts a posting over the stored positions of the wallet; `rows` returns the new positions, `entries` the lines of the booking. */
export function openBook(place: WalletKey, stored: readonly PositionRow[], at: Date) {
  const { all, read, write, since, holdersOf } = openHoldings(stored, at)
  const entries: Entry[] = []

  // Writes both sides of each movement, so that the entries sum to zero (L1).
  const move = (from: string, to: string, token: Hex, quantity: bigint): void => {
    if (quantity === 0n) return
    entries.push({ account: from, token, quantity: -quantity }, { account: to, token, quantity })
  }
  const add = (agent: string, { token, quantity, valueUsd }: Amount, from: string): void => {
    move(from, holdingOf(agent), token, quantity)
    write(agent, token, acquire(read(agent, token), quantity, valueUsd))
  }

  /** Deposits what all agents together lack of a quantity, at its value: the books never saw it. */
  function complete(agent: string, { token, quantity, valueUsd }: Amount): void {
    const held = holdersOf(token, agent).reduce((sum, holder) => sum + read(holder, token).quantity, 0n)
    const lacking = quantity - held
    if (lacking > 0n) add(agent, { token, quantity: lacking, valueUsd: (valueUsd * lacking) / quantity }, 'outside')
  }

  /** Gives the agent the quantity from other agents of the wallet. */
  function provide(agent: string, { token, quantity }: Amount): void {
    for (const lender of holdersOf(token, agent).slice(1)) {
      const lent = smaller(quantity - read(agent, token).quantity, read(lender, token).quantity)
      if (lent <= 0n) return
      const moved = transfer(read(lender, token), read(agent, token), lent)
      write(lender, token, moved.from)
      write(agent, token, moved.to)
      move(holdingOf(lender), holdingOf(agent), token, lent)
    }
  }

  return {
    deposit: add as (agent: string, amount: Amount, from: Other) => void,
    /** Sells for so much in 1e-18 USD, or at cost; tokens that the agent lacks are provided first. */
    sell(agent: string, amount: Amount, proceeds: bigint | 'cost', to: Other): Sold {
      complete(agent, amount)
      provide(agent, amount)
      move(holdingOf(agent), to, amount.token, amount.quantity)
      const before = read(agent, amount.token)
      const valueUsd = proceeds === 'cost' ? take(before, amount.quantity).costUsd : proceeds
      const after = dispose(before, amount.quantity, valueUsd)
      write(agent, amount.token, after)
      const { quantity, costUsd } = before
      return { basis: { quantity, costUsd }, valueUsd, profitUsd: after.realizedPnlUsd - before.realizedPnlUsd }
    },
    /** Takes a quantity out at its cost and returns its parts by agent: first what the agent holds, then the others. */
    take(agent: string, amount: Amount, to: Other): Portion[] {
      complete(agent, amount)
      const { token } = amount
      let left = amount.quantity
      return holdersOf(token, agent).flatMap((holder) => {
        const quantity = smaller(left, read(holder, token).quantity)
        if (quantity === 0n) return []
        left -= quantity
        const { rest, costUsd } = take(read(holder, token), quantity)
        write(holder, token, rest)
        move(holdingOf(holder), to, token, quantity)
        return [{ agent: holder, token, quantity, costUsd, openedAt: since(holder, token) }]
      })
    },
    /** Adds parts that were taken elsewhere, with their agent, their cost and the time since when they are held. */
    put(parts: readonly Portion[], from: Other): void {
      for (const { agent, token, quantity, costUsd, openedAt } of parts) {
        write(agent, token, acquire(read(agent, token), quantity, costUsd), openedAt)
        move(from, holdingOf(agent), token, quantity)
      }
    },
    entries,
    openedAt: since,
    rows: (): PositionRow[] =>
      all().map(({ agent, token, holding, openedAt }) => ({
        ...place,
        agent,
        token,
        ...holding,
        openedAt,
        updatedAt: at,
      })),
  }
}

/** The holdings of a wallet by agent and token. What changes them is posted at the moment `at`. */
function openHoldings(stored: readonly PositionRow[], at: Date) {
  const holdings = new Map<string, { agent: string; token: Hex; holding: Holding; openedAt: Date | null }>()
  for (const row of stored) holdings.set(keyOf(row.agent, row.token), { ...row, holding: asHolding(row) })
  const read = (agent: string, token: Hex): Holding => holdings.get(keyOf(agent, token))?.holding ?? nothing
  return {
    all: () => [...holdings.values()],
    read,
    write(agent: string, token: Hex, holding: Holding, since: Date | null = at): void {
      const before = holdings.get(keyOf(agent, token))
      // What is bought after everything was sold is a new position.
      const isOpen = before !== undefined && (before.holding.quantity > 0n || holding.quantity === 0n)
      holdings.set(keyOf(agent, token), { agent, token, holding, openedAt: isOpen ? before.openedAt : since })
    },
    /** Since when the agent holds the token; null where it does not, or where that is not known. */
    since: (agent: string, token: Hex): Date | null => holdings.get(keyOf(agent, token))?.openedAt ?? null,
    /** The agent, and then those that hold the token, the default agent first. */
    holdersOf(token: Hex, agent: string): string[] {
      const others = [...holdings.values()]
        .filter((other) => sameAddress(other.token, token) && other.agent !== agent && other.holding.quantity > 0n)
        .map((other) => other.agent)
        .sort((a, b) => Number(b === defaultAgent) - Number(a === defaultAgent) || (a < b ? -1 : 1))
      return [agent, ...others]
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

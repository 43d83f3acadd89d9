import { unrealized } from '../books/average-cost.ts'
import type { Ports } from '../ports/index.ts'
import type { PositionRow } from '../ports/ledger.ts'
import { openPrices } from '../values/prices.ts'
import { heldToken } from './present-position.ts'

type Needs = Pick<Ports, 'chains' | 'clock' | 'ledger'>

/** Positions that are read and valued together. */
const batch = 500

/** Between two valuations: the last one of an hour stands for it. */
const everyMs = 300_000

/**
 * Returns a function that stores what the positions of each account would bring, every five minutes, at the prices of
 * the moment and by the books alone. A token without a feed counts as in
 * metrics.unrealizedPnl: not at all. An account whose tokens have a feed without a current price is left out.
 */
export function createSnapshots({ chains, clock, ledger }: Needs): () => Promise<void> {
  let next = 0
  return async () => {
    const now = clock.now()
    if (now.getTime() < next) return
    next = now.getTime() + everyMs
    const pricesOf = new Map(chains.all.map((chain) => [chain.info.id, openPrices(chain, { freshOnly: true })]))
    const profitOf = async (row: PositionRow): Promise<bigint | null> => {
      if (row.quantity === 0n) return 0n
      const usd = pricesOf.get(row.chainId)
      if (usd === undefined) return null
      if (heldToken({ chains }, row).usdFeed === null) return 0n
      const value = await usd(row.token, row.quantity).catch(() => null)
      return value === null ? null : unrealized(row, value)
    }
    let rows = await ledger.allPositions(0, batch)
    while (rows.length > 0) {
      const sums = new Map<number, bigint | null>()
      for (const row of rows) {
        const before = sums.get(row.userId)
        const profit = before === null ? null : await profitOf(row)
        sums.set(row.userId, profit === null ? null : (before ?? 0n) + profit)
      }
      // A wrong number would stay for a year: without every price there is none, and the last one goes on.
      const known = [...sums].flatMap(([userId, sum]) => (sum === null ? [] : [[userId, sum] as const]))
      await ledger.saveSnapshots(now, new Map(known))
      rows = await ledger.allPositions(lastUser(rows), batch)
    }
  }
}

function lastUser(rows: readonly PositionRow[]): number {
  return Math.max(...rows.map(({ userId }) => userId))
}

import { unrealized } from '../books/average-cost.ts'
import type { Ports } from '../ports/index.ts'
import type { PositionRow } from '../ports/ledger.ts'
import { openPrices } from '../values/prices.ts'

type Needs = Pick<Ports, 'chains' | 'clock' | 'ledger'>

/** Positions that are read and valued together. */
const batch = 500

/** Between two valuations: the last one of an hour stands for it. */
const everyMs = 300_000

/**
 * Returns a function that stores what the positions of each account would bring, every five minutes, at the prices of
 * the moment and by the books alone. A token without a current price counts as in metrics.unrealizedPnl: not at all.
 */
export function createSnapshots({ chains, clock, ledger }: Needs): () => Promise<void> {
  let next = 0
  return async () => {
    const now = clock.now()
    if (now.getTime() < next) return
    next = now.getTime() + everyMs
    const pricesOf = new Map(chains.all.map((chain) => [chain.info.id, openPrices(chain, { freshOnly: true })]))
    let rows = await ledger.allPositions(0, batch)
    while (rows.length > 0) {
      const sums = new Map<number, bigint>()
      for (const row of rows) {
        const usd = row.quantity === 0n ? undefined : pricesOf.get(row.chainId)
        const value = (await usd?.(row.token, row.quantity)) ?? null
        sums.set(row.userId, (sums.get(row.userId) ?? 0n) + (value === null ? 0n : unrealized(row, value)))
      }
      await ledger.saveSnapshots(now, sums)
      rows = await ledger.allPositions(lastUser(rows), batch)
    }
  }
}

function lastUser(rows: readonly PositionRow[]): number {
  return Math.max(...rows.map(({ userId }) => userId))
}

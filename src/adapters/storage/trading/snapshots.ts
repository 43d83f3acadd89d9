import type { Ledger, SlotSize, Snapshot } from '../../../domain/ports/ledger.ts'
import { slotMs } from '../../../domain/ports/ledger.ts'
import type { Database } from '../connection/database.ts'
import type { Tables } from '../connection/tables.ts'
import { SnapshotEntity } from '../entities/books.ts'

type Snapshots = Pick<Ledger, 'snapshots' | 'saveSnapshots' | 'purgeSnapshots'>

/** What the positions of accounts would have brought, by hour and by day. */
export function openSnapshots(database: Database): Snapshots {
  const { tables } = database
  return {
    async snapshots({ userId, size, from, to }) {
      const earlier = { userId, size, slot: { $lt: from } }
      const [[last], rows] = await Promise.all([
        tables.find(SnapshotEntity, earlier, { orderBy: { slot: 'desc' }, limit: 1 }),
        tables.find(SnapshotEntity, { userId, size, slot: { $gte: from, $lt: to } }, { orderBy: { slot: 'asc' } }),
      ])
      const before = last === undefined ? [] : [{ ...last, slot: from - 1 }]
      return [...before, ...rows].map(({ slot, unrealizedUsd }): Snapshot => {
        return { slot, unrealizedUsd: BigInt(unrealizedUsd) }
      })
    },
    async saveSnapshots(at, unrealized) {
      // In one order everywhere, because several processes may write the same rows.
      const accounts = [...unrealized].sort(([a], [b]) => a - b)
      await database.transaction(async (tables) => {
        const present = await ofToday(tables, at, [...unrealized.keys()])
        const changed = accounts.filter(([userId, usd]) => present.get(userId) !== `${usd}`)
        const rows = (['hour', 'day'] as const).flatMap((size) =>
          changed.map(([userId, usd]) => ({ userId, size, slot: slotOf(at, size), unrealizedUsd: `${usd}` })),
        )
        if (rows.length > 0) await tables.upsertAll(SnapshotEntity, rows)
      })
    },
    async purgeSnapshots(size, before, limit) {
      const where = { size, slot: { $lt: slotOf(before, size) } }
      const old = await tables.find(SnapshotEntity, where, { limit, fields: ['userId', 'slot'] })
      for (const [userId, rows] of Map.groupBy(old, (row) => row.userId))
        await tables.delete(SnapshotEntity, { userId, size, slot: rows.map(({ slot }) => slot) })
      return old.length
    },
  }
}

/** The newest value of each account in the day of a moment. Each day begins anew, so that old ones can be deleted. */
async function ofToday(tables: Tables, at: Date, userId: number[]): Promise<Map<number, string>> {
  const where = { userId, size: 'day', slot: slotOf(at, 'day') }
  const rows = await tables.find(SnapshotEntity, where)
  return new Map(rows.map((row) => [row.userId, row.unrealizedUsd]))
}

function slotOf(at: Date, size: SlotSize): number {
  return Math.floor(at.getTime() / slotMs[size])
}

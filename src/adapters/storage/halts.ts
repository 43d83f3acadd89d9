import type { Halt, Halts } from '../../domain/ports/trades.ts'
import type { Database } from './database.ts'
import { HaltEntity } from './entities/trading.ts'

/** Stop orders over the database, so that each process sees one at its next trade. */
export function openHalts(database: Database): Halts {
  return {
    async set(halt, at) {
      await database.fork().upsert(HaltEntity, { ...keyOf(halt), createdAt: at }, { onConflictAction: 'ignore' })
    },
    async clear(halt) {
      await database.fork().nativeDelete(HaltEntity, keyOf(halt))
    },
    async covering(chainId, wallet) {
      const covers = [
        { scope: 'global', id: '' },
        { scope: 'chain', id: String(chainId) },
        { scope: 'wallet', id: wallet },
      ] as const
      const row = await database.fork().findOne(HaltEntity, { $or: covers.map(keyOf) }, { orderBy: { scope: 'asc' } })
      return row === null ? null : haltOf(row)
    },
    async list() {
      const rows = await database.fork().find(HaltEntity, {}, { orderBy: { createdAt: 'asc', target: 'asc' } })
      return rows.map(haltOf)
    },
  }
}

/** Addresses are kept in lower case: they are compared as bytes, not as checksummed text. */
function keyOf({ scope, id }: Halt) {
  return { scope, target: scope === 'global' ? '' : id.toLowerCase() }
}

function haltOf({ scope, target }: { scope: string; target: string }): Halt {
  return { scope: scope as Halt['scope'], id: target }
}

import type { SqlEntityManager } from '@mikro-orm/sqlite'
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
    covering: async (chainId, wallet) => await haltCovering(database.fork(), chainId, wallet),
    async list() {
      const rows = await database.fork().find(HaltEntity, {}, { orderBy: { createdAt: 'asc', target: 'asc' } })
      return rows.map(haltOf)
    },
  }
}

/** The first halt that covers the trade, as the present transaction sees it. */
export async function haltCovering(em: SqlEntityManager, chainId: number, wallet: string): Promise<Halt | null> {
  const covers = [
    { scope: 'global', id: '' },
    { scope: 'chain', id: String(chainId) },
    { scope: 'wallet', id: wallet },
  ] as const
  const row = await em.findOne(HaltEntity, { $or: covers.map(keyOf) }, { orderBy: { scope: 'asc' } })
  return row === null ? null : haltOf(row)
}

/** Addresses are kept in lower case: they are compared as bytes, not as checksummed text. */
function keyOf({ scope, id }: Halt) {
  return { scope, target: scope === 'global' ? '' : id.toLowerCase() }
}

function haltOf({ scope, target }: { scope: string; target: string }): Halt {
  return { scope: scope as Halt['scope'], id: target }
}

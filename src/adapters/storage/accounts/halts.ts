import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sqlite'
import type { Halt, Halts } from '../../../domain/ports/trade-policy.ts'
import { appendAudit } from '../audit/audit.ts'
import type { Database } from '../connection/database.ts'
import { HaltEntity } from '../entities/trading.ts'

/**
 * Stop orders in the database, so that each process sees them at its next trade. Setting and lifting one is written to
 * the audit log of the operator.
 */
export function openHalts(database: Database): Halts {
  return {
    async set(halt, at) {
      const set = database.transaction(async (em) => {
        if ((await em.count(HaltEntity, keyOf(halt))) > 0) return
        await em.insert(HaltEntity, { ...keyOf(halt), createdAt: at })
        await auditHalt(em, halt, 'set')
      })
      await set.catch((failure: unknown) => {
        // Another process set the same order at the same time, and wrote it to the audit log.
        if (!(failure instanceof UniqueConstraintViolationException)) throw failure
      })
    },
    async clear(halt) {
      await database.transaction(async (em) => {
        if ((await em.nativeDelete(HaltEntity, keyOf(halt))) > 0) await auditHalt(em, halt, 'lifted')
      })
    },
    covering: async (chainId, wallet) => await haltCovering(database.fork(), chainId, wallet),
    async list() {
      const rows = await database.fork().find(HaltEntity, {}, { orderBy: { createdAt: 'asc', target: 'asc' } })
      return rows.map(haltOf)
    },
  }
}

/** The first halt that covers the trade, as the current transaction sees it. */
export async function haltCovering(em: SqlEntityManager, chainId: number, wallet: string): Promise<Halt | null> {
  const covers = [
    { scope: 'global', id: '' },
    { scope: 'chain', id: String(chainId) },
    { scope: 'wallet', id: wallet },
  ] as const
  const row = await em.findOne(HaltEntity, { $or: covers.map(keyOf) }, { orderBy: { scope: 'asc' } })
  return row === null ? null : haltOf(row)
}

async function auditHalt(em: SqlEntityManager, halt: Halt, change: 'set' | 'lifted'): Promise<void> {
  const { scope, target } = keyOf(halt)
  const subject = scope === 'global' ? scope : `${scope}:${target}`
  await appendAudit(em, { userId: 0, kind: 'halt', subject, facts: { [change]: true } })
}

/** Addresses are stored in lower case: they are compared as bytes, not as checksummed text. */
function keyOf({ scope, id }: Halt) {
  return { scope, target: scope === 'global' ? '' : id.toLowerCase() }
}

function haltOf({ scope, target }: { scope: string; target: string }): Halt {
  return { scope: scope as Halt['scope'], id: target }
}

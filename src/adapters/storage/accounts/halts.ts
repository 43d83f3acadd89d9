import type { ChainHalts, Halt, Halts } from '../../../domain/ports/trade-policy.ts'
import { appendAudit } from '../audit/audit.ts'
import type { Database } from '../connection/database.ts'
import { UniqueViolation } from '../connection/statements.ts'
import type { Tables } from '../connection/tables.ts'
import { HaltEntity } from '../entities/trading.ts'
import { feedHalt, feedTopic, haltFeed } from '../feed/feed-events.ts'

/**
 * Stop orders in the database, so that each process sees them at its next trade. Setting and lifting one is written to
 * the audit log of the operator.
 */
export function openHalts(database: Database): Halts {
  return {
    async set(halt, at) {
      const set = database.transaction(async (tables) => {
        if ((await tables.count(HaltEntity, keyOf(halt))) > 0) return
        await tables.insert(HaltEntity, { ...keyOf(halt), createdAt: at })
        await auditHalt(tables, halt, 'set')
        await feedHalt(tables, { ...keyOf(halt), halted: true, at })
      })
      await set.catch((failure: unknown) => {
        // Another process set the same order at the same time, and wrote it to the audit log.
        if (!(failure instanceof UniqueViolation)) throw failure
      })
      database.signals.notify(feedTopic(haltFeed))
    },
    async clear(halt) {
      await database.transaction(async (tables) => {
        if ((await tables.delete(HaltEntity, keyOf(halt))) === 0) return
        await auditHalt(tables, halt, 'lifted')
        await feedHalt(tables, { ...keyOf(halt), halted: false, at: new Date() })
      })
      database.signals.notify(feedTopic(haltFeed))
    },
    covering: async (chainId, wallet) => await haltCovering(database.tables, chainId, wallet),
    async list() {
      const rows = await database.tables.find(HaltEntity, {}, { orderBy: { createdAt: 'asc', target: 'asc' } })
      return rows.map((row) => ({ ...haltOf(row), createdAt: row.createdAt }))
    },
  }
}

/** The stop orders that are not of a wallet. */
export function openChainHalts({ tables }: Database): ChainHalts {
  return {
    list: async () => (await tables.find(HaltEntity, { scope: ['global', 'chain'] })).map(haltOf),
  }
}

/** The first halt that covers the trade, as the current transaction sees it. */
export async function haltCovering(tables: Tables, chainId: number, wallet: string): Promise<Halt | null> {
  const covers = [
    { scope: 'global', id: '' },
    { scope: 'chain', id: String(chainId) },
    { scope: 'wallet', id: wallet },
  ] as const
  const row = await tables.findOne(HaltEntity, { $or: covers.map(keyOf) }, { orderBy: { scope: 'asc' } })
  return row === null ? null : haltOf(row)
}

/**
 * Sets a halt of a chain for a reason of the gateway, in the current transaction. False where one is in force for such a
 * reason already; one of an operator gets the reason.
 */
export async function haltChain(
  tables: Tables,
  { chainId, reason, at }: { chainId: number; reason: string; at: Date },
): Promise<boolean> {
  const halt = { scope: 'chain', id: String(chainId), reason } as const
  const key = keyOf(halt)
  const present = await tables.findOne(HaltEntity, key)
  if (typeof present?.reason === 'string') return false
  if (present === null) await tables.insert(HaltEntity, { ...key, createdAt: at, reason })
  else await tables.update(HaltEntity, key, { reason })
  await auditHalt(tables, halt, 'set')
  if (present === null) await feedHalt(tables, { ...key, halted: true, at })
  return true
}

async function auditHalt(tables: Tables, halt: Halt, change: 'set' | 'lifted'): Promise<void> {
  const { scope, target } = keyOf(halt)
  const subject = scope === 'global' ? scope : `${scope}:${target}`
  const why = halt.reason === undefined ? {} : { reason: halt.reason }
  await appendAudit(tables, 0, { kind: 'halt', subject, facts: { [change]: true, ...why } })
}

/** Addresses are stored in lower case: they are compared as bytes, not as checksummed text. */
function keyOf({ scope, id }: Halt): { scope: Halt['scope']; target: string } {
  return { scope, target: scope === 'global' ? '' : id.toLowerCase() }
}

type HaltRow = { scope: string; target: string; reason?: string | null | undefined }

function haltOf({ scope, target, reason }: HaltRow): Halt {
  return { scope: scope as Halt['scope'], id: target, ...(typeof reason === 'string' ? { reason } : {}) }
}

import type { Sessions } from '../../../domain/ports/accounts.ts'
import { type AuditEntry, appendAudit } from '../audit/audit.ts'
import type { Database } from '../connection/database.ts'
import { queryOf } from '../connection/tables.ts'
import { storable } from '../connection/text.ts'
import { createWatch } from '../connection/watch.ts'
import { SessionEntity, type SessionRow } from '../entities/accounts.ts'
import { lockLiveAccount } from './lock-account.ts'
import { grantOf, grantText } from './session-rows.ts'
import { keepUses } from './session-uses.ts'

/** Topic of the watch for sessions that are deleted. */
export const sessionDeleted = 'session-deleted'

/**
 * Sessions in the database. A listener notices a deletion by another process within `pollMs`. Uses are written each minute,
 * and once more when disposed of.
 */
export function openSessions(database: Database, pollMs = 1_000): Sessions & AsyncDisposable {
  const uses = keepUses(database)
  const state = queryOf<{ generation: number; revoked: string | null; grant_facts: string | null }>(
    database,
    'select account.generation, session.grant_facts, (select id from revoked_token where id = ?) as revoked ' +
      'from session join account on account.id = session.user_id where session.id = ?',
  )
  const isDeleted = async (id: string) => (await state('', id)).length === 0
  const deletions = createWatch(database, sessionDeleted, isDeleted, pollMs)

  return {
    async create(session, limit) {
      return await database.transaction(async (tables) => {
        await lockLiveAccount(tables, session.userId)
        if ((await tables.count(SessionEntity, { userId: session.userId })) >= limit) return null
        const { grant, ...columns } = session
        await tables.insert(SessionEntity, { ...columns, grantFacts: grant === null ? null : grantText(grant) })
        return { ...session, expiresAt: null, lastUse: null }
      })
    },
    async list(userId) {
      const orderBy = { createdAt: 'desc', id: 'desc' } as const
      return (await database.tables.find(SessionEntity, { userId }, { orderBy })).map(uses.shown)
    },
    async find(sessionId) {
      const row = await database.tables.findOne(SessionEntity, sessionId)
      return row === null ? null : uses.shown(row)
    },
    async rename(sessionId, name) {
      return await database.transaction(async (tables) => {
        await tables.update(SessionEntity, { id: sessionId }, { name: storable(name) })
        const row = await tables.findOne(SessionEntity, sessionId)
        return row === null ? null : uses.shown(row)
      })
    },
    async delete(sessionId, why) {
      const deleted = await database.transaction(async (tables) => {
        const row = why === undefined ? null : await tables.findOne(SessionEntity, sessionId)
        const count = await tables.delete(SessionEntity, { id: sessionId })
        if (row !== null && count > 0) await appendAudit(tables, row.userId, endOf(row, why))
        return count
      })
      if (deleted > 0) deletions.notify(sessionId)
      return deleted > 0
    },
    async check(sessionId, tokenId) {
      const [found] = await state(tokenId, sessionId)
      if (found === undefined) return null
      return { generation: found.generation, revoked: found.revoked !== null, grant: grantOf(found.grant_facts) }
    },
    onDeleted: (sessionId, listener) => deletions.listen(sessionId, listener),
    note: uses.note,
    [Symbol.asyncDispose]: uses.end,
  }
}

function endOf({ id, name }: SessionRow, why: string | undefined): AuditEntry {
  return { kind: 'account', subject: `session:${id}`, facts: { session: name, ended: why } }
}

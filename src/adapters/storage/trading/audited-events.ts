import { referenceText } from '../../../domain/core/reference.ts'
import type { AuditedEvent, Execution } from '../../../domain/ports/trades.ts'
import type { Tables } from '../connection/tables.ts'
import { AuditEntity } from '../entities/audit.ts'

/** A trade that is sent again and again has many entries; the newest are shown. */
const most = 1_000

const kinds = ['quote', 'risk', 'decision', 'signature', 'send', 'receipt'] as const satisfies AuditedEvent['kind'][]

/** What the audit log has of an execution, its quote and its transactions, oldest first. */
export async function auditedEvents(
  tables: Tables,
  { id, userId, quoteId, facts }: Execution,
): Promise<AuditedEvent[]> {
  const quotes = [quoteId, facts?.quote?.quote_id].flatMap((one) => one ?? [])
  const subject = [id, referenceText({ kind: 'revoke', id }), ...new Set(quotes)]
  const where = { userId, subject, kind: [...kinds] }
  const rows = await tables.find(AuditEntity, where, { orderBy: { seq: 'desc' }, limit: most })
  return rows.toReversed().map(({ at, kind, facts: text }) => {
    return { at: new Date(at), kind: kind as AuditedEvent['kind'], facts: JSON.parse(text) as AuditedEvent['facts'] }
  })
}

import { IsolationLevel, TableNotFoundException } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sqlite'
import type { Database } from '../connection/database.ts'
import { AuditEntity, AuditHeadEntity } from '../entities/audit.ts'
import { type AuditHead, chained, origin } from './audit.ts'

/** The first entry of an account that does not match, and why. */
type AuditBreak = { userId: number; seq: number; reason: string }

type AuditVerdict = { entries: number; heads: AuditHead[]; broken: AuditBreak | null }

/**
 * Reads the whole log in pages. Returns the number of entries, the newest entry of each account, and the first break or
 * null. The hashes prove that the log is consistent. A truncated or completely rewritten log is detected only with
 * `expected`: heads of an earlier verification, stored elsewhere, which must still be in the log.
 */
export async function verifyAudit(
  database: Pick<Database, 'fork'>,
  expected: readonly AuditHead[] = [],
): Promise<AuditVerdict> {
  // One snapshot for the whole verification, so that entries appended meanwhile are not taken for a break.
  const view = { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true }
  try {
    return await database.fork().transactional(async (em) => await verified(em as SqlEntityManager, expected), view)
  } catch (cause) {
    if (cause instanceof TableNotFoundException) throw new Error('The database has no audit log.', { cause })
    throw cause
  }
}

async function verified(em: SqlEntityManager, expected: readonly AuditHead[]): Promise<AuditVerdict> {
  const heads = await em.find(AuditHeadEntity, {}, { orderBy: { userId: 'asc' }, ...unmanaged })
  let entries = 0
  for (const head of heads) {
    const broken = await brokenAccount(em, head, () => ++entries)
    if (broken !== null) return { entries, heads, broken }
  }
  return { entries, heads, broken: (await withoutHead(em)) ?? (await unexpected(em, expected)) }
}

async function withoutHead(em: SqlEntityManager): Promise<AuditBreak | null> {
  const [entry] = await em.execute<{ user_id: number; seq: number }[]>(
    'select user_id, seq from audit where user_id not in (select user_id from audit_head) order by user_id, seq limit 1',
  )
  return entry === undefined ? null : { userId: entry.user_id, seq: entry.seq, reason: 'its account has no head' }
}

async function unexpected(em: SqlEntityManager, expected: readonly AuditHead[]): Promise<AuditBreak | null> {
  for (const { userId, seq, hash } of expected) {
    const entry = await em.findOne(AuditEntity, { userId, seq }, unmanaged)
    if (entry === null) return { userId, seq, reason: 'the expected entry is missing' }
    if (entry.hash !== hash) return { userId, seq, reason: 'the entry differs from the expected one' }
  }
  return null
}

async function brokenAccount(
  em: SqlEntityManager,
  { userId, ...head }: AuditHead,
  count: () => void,
): Promise<AuditBreak | null> {
  let last = { seq: 0, hash: origin }
  while (true) {
    const where = { userId, seq: { $gt: last.seq } }
    const page = await em.find(AuditEntity, where, { orderBy: { seq: 'asc' }, limit: pageSize, ...unmanaged })
    for (const { hash, ...entry } of page) {
      if (entry.seq !== last.seq + 1) return { userId, seq: last.seq + 1, reason: 'the entry is missing' }
      if (chained(last.hash, entry) !== hash)
        return { userId, seq: entry.seq, reason: 'the entry or an earlier one was changed' }
      last = { seq: entry.seq, hash }
      count()
    }
    if (page.length < pageSize) break
  }
  if (last.seq < head.seq) return { userId, seq: last.seq + 1, reason: 'the entry is missing' }
  return last.hash === head.hash
    ? null
    : { userId, seq: last.seq, reason: 'the entry differs from the head of the account' }
}

const unmanaged = { disableIdentityMap: true } as const
const pageSize = 1_000

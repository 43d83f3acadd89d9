import { createHash } from 'node:crypto'
import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sqlite'
import type { Database } from './database.ts'
import { AuditEntity, AuditHeadEntity } from './entities/audit.ts'

/** Something that was decided or done for an account, as it is kept for good. */
export type AuditEntry = {
  /** 0 is the gateway itself. */
  userId: number
  kind: 'quote' | 'risk' | 'decision' | 'signature' | 'send' | 'receipt' | 'key'
  /** What it is about: a quote's id, an execution's, a wallet, or another reference of a transaction. */
  subject: string
  /** Plain values; whole numbers as text. Never a key, a token or a password. */
  facts: Record<string, unknown>
}

/**
 * Appends within a transaction of the caller's, as the last of it: what the entry records is written with it or not at
 * all. An account's entries are chained one after the other, in every process.
 */
export async function appendAudit(em: SqlEntityManager, { userId, kind, subject, facts }: AuditEntry): Promise<void> {
  const head = (await lockHead(em, userId)) ?? (await firstHead(em, userId))
  const at = new Date().toISOString()
  const entry = { userId, seq: head.seq + 1, at, kind, subject, facts: JSON.stringify(facts) }
  const hash = chained(head.hash, entry)
  await em.insert(AuditEntity, { ...entry, hash })
  await em.nativeUpdate(AuditHeadEntity, { userId }, { seq: entry.seq, hash })
}

async function lockHead(em: SqlEntityManager, userId: number): Promise<Head | null> {
  const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, disableIdentityMap: true } as const
  return await em.findOne(AuditHeadEntity, { userId }, locked)
}

/** Of several processes that write an account's first entry at once each goes on from the same head, in turn. */
async function firstHead(em: SqlEntityManager, userId: number): Promise<Head> {
  await em.upsert(AuditHeadEntity, { userId, seq: 0, hash: origin }, { onConflictAction: 'ignore' })
  const head = await lockHead(em, userId)
  if (head === null) throw new Error(`Account ${userId} has no head of its audit log.`)
  return head
}

/** Where the record of an account first does not hold, and why. */
export type AuditBreak = { userId: number; seq: number; reason: string }

/** Reads the whole log and answers how much of it there is and its first break, or null. Reads a page at a time. */
export async function verifyAudit(
  database: Database,
): Promise<{ entries: number; accounts: number; broken: AuditBreak | null }> {
  const heads = await database.fork().find(AuditHeadEntity, {}, { orderBy: { userId: 'asc' } })
  let entries = 0
  for (const head of heads) {
    const broken = await verifyAccount(database, head, () => ++entries)
    if (broken !== null) return { entries, accounts: heads.length, broken }
  }
  const strangers = await database
    .fork()
    .findAll(AuditEntity, { where: { userId: { $nin: heads.map(({ userId }) => userId) } }, limit: 1 })
  const [stranger] = strangers
  const broken =
    stranger === undefined ? null : { userId: stranger.userId, seq: stranger.seq, reason: 'its account has no head' }
  return { entries, accounts: heads.length, broken }
}

type Head = { userId: number; seq: number; hash: string }

async function verifyAccount(
  database: Database,
  { userId, ...head }: Head,
  count: () => void,
): Promise<AuditBreak | null> {
  let last = { seq: 0, hash: origin }
  while (true) {
    const where = { userId, seq: { $gt: last.seq } }
    const page = await database.fork().find(AuditEntity, where, { orderBy: { seq: 'asc' }, limit: pageSize })
    for (const { hash, ...entry } of page) {
      if (entry.seq !== last.seq + 1) return { userId, seq: last.seq + 1, reason: 'the entry is missing' }
      const fields = {
        userId,
        seq: entry.seq,
        at: entry.at,
        kind: entry.kind,
        subject: entry.subject,
        facts: entry.facts,
      }
      if (chained(last.hash, fields) !== hash)
        return { userId, seq: entry.seq, reason: 'the entry was changed, or one before it' }
      last = { seq: entry.seq, hash }
      count()
    }
    if (page.length < pageSize) break
  }
  if (last.seq < head.seq) return { userId, seq: last.seq + 1, reason: 'the entry is missing' }
  return last.hash === head.hash ? null : { userId, seq: last.seq, reason: 'the entry is not the one that was newest' }
}

const pageSize = 1_000
/** What the first entry of an account is chained to. */
const origin = '0'.repeat(64)

type Hashed = { userId: number; seq: number; at: string; kind: string; subject: string; facts: string }

function chained(before: string, { userId, seq, at, kind, subject, facts }: Hashed): string {
  return createHash('sha256')
    .update(JSON.stringify([before, userId, seq, at, kind, subject, facts]))
    .digest('hex')
}

import { createHash } from 'node:crypto'
import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sqlite'
import { AuditEntity, AuditHeadEntity } from '../entities/audit.ts'

/** Something that was decided or done for an account, as it is kept for good. */
export type AuditEntry = {
  /** 0 is the gateway itself and its operator, whose orders bind every account. */
  userId: number
  kind: 'quote' | 'risk' | 'decision' | 'signature' | 'send' | 'receipt' | 'key' | 'policy' | 'grant' | 'halt'
  /** What it is about: a quote's id, an execution's, a wallet, what a halt covers, or a transaction's reference. */
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

async function lockHead(em: SqlEntityManager, userId: number): Promise<AuditHead | null> {
  const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, disableIdentityMap: true } as const
  return await em.findOne(AuditHeadEntity, { userId }, locked)
}

/** Of several processes that write an account's first entry at once each goes on from the same head, in turn. */
async function firstHead(em: SqlEntityManager, userId: number): Promise<AuditHead> {
  await em.upsert(AuditHeadEntity, { userId, seq: 0, hash: origin }, { onConflictAction: 'ignore' })
  const head = await lockHead(em, userId)
  if (head === null) throw new Error(`Account ${userId} has no head of its audit log.`)
  return head
}

/** The newest entry of an account. */
export type AuditHead = { userId: number; seq: number; hash: string }

/** What the first entry of an account is chained to. */
export const origin = '0'.repeat(64)

type Hashed = { userId: number; seq: number; at: string; kind: string; subject: string; facts: string }

/** The hash of an entry, over the hash of the one before and every field of it. */
export function chained(before: string, { userId, seq, at, kind, subject, facts }: Hashed): string {
  return createHash('sha256')
    .update(JSON.stringify([before, userId, seq, at, kind, subject, facts]))
    .digest('hex')
}

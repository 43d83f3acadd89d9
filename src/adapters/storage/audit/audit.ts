import { createHash } from 'node:crypto'
import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sqlite'
import { AuditEntity, AuditHeadEntity } from '../entities/audit.ts'

/** A decision or an action for an account, stored for good. */
export type AuditEntry = {
  /** 0 is the gateway and its operator, whose halts apply to every account. */
  userId: number
  kind: 'quote' | 'risk' | 'decision' | 'signature' | 'send' | 'receipt' | 'key' | 'policy' | 'grant' | 'halt'
  /** The id of its subject: a quote, an execution, a wallet, the scope of a halt, or the reference of a transaction. */
  subject: string
  /** Plain values; integers as text. Never a key, a token or a password. */
  facts: Record<string, unknown>
}

/**
 * Appends an entry within the caller's transaction, as its last statement, so that entry and change are stored together
 * or not at all. The entries of an account form one chain, over all processes.
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

/** Several processes may write an account's first entry at once; each waits and continues from the same head. */
async function firstHead(em: SqlEntityManager, userId: number): Promise<AuditHead> {
  await em.upsert(AuditHeadEntity, { userId, seq: 0, hash: origin }, { onConflictAction: 'ignore' })
  const head = await lockHead(em, userId)
  if (head === null) throw new Error(`Account ${userId} has no head of its audit log.`)
  return head
}

/** The newest entry of an account. */
export type AuditHead = { userId: number; seq: number; hash: string }

/** The hash to which the first entry of an account is linked. */
export const origin = '0'.repeat(64)

type Hashed = { userId: number; seq: number; at: string; kind: string; subject: string; facts: string }

/** The hash of an entry: over the previous entry's hash and every field of this one. */
export function chained(before: string, { userId, seq, at, kind, subject, facts }: Hashed): string {
  return createHash('sha256')
    .update(JSON.stringify([before, userId, seq, at, kind, subject, facts]))
    .digest('hex')
}

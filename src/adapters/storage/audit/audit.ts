import { createHash } from 'node:crypto'
import type { Tables } from '../connection/tables.ts'
import { AuditEntity, AuditHeadEntity } from '../entities/audit.ts'

/** A decision or an action for an account, stored permanently. */
export type AuditEntry = {
  kind:
    | 'quote'
    | 'risk'
    | 'decision'
    | 'signature'
    | 'send'
    | 'receipt'
    | 'key'
    | 'policy'
    | 'grant'
    | 'halt'
    | 'account'
  /**
   * The object of the entry: the id of a quote or an execution, a wallet, the target of a halt, or a transaction's
   * reference.
   */
  subject: string
  /** JSON values; large whole numbers as text. Never a key, a token or a password. */
  facts: Record<string, unknown>
}

/**
 * Appends entries as the last statements of the caller's transaction, so that they and the recorded changes are stored
 * together or not at all. The entries of an account are chained one after the other, over all processes. The account 0 is
 * the gateway itself and its operator, whose orders apply to every account.
 */
export async function appendAudit(tables: Tables, userId: number, ...entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return
  let { seq, hash } = (await lockHead(tables, userId)) ?? (await firstHead(tables, userId))
  const at = new Date().toISOString()
  const rows = entries.map(({ kind, subject, facts }) => {
    seq += 1
    const entry = { userId, seq, at, kind, subject, facts: JSON.stringify(facts) }
    hash = chained(hash, entry)
    return { ...entry, hash }
  })
  await tables.insertAll(AuditEntity, rows)
  await tables.update(AuditHeadEntity, { userId }, { seq, hash })
}

async function lockHead(tables: Tables, userId: number): Promise<AuditHead | null> {
  const locked = { lock: 'update' } as const
  return await tables.findOne(AuditHeadEntity, { userId }, locked)
}

/** Creates the head for the first entry of an account. Simultaneous processes create one head and lock it in turn. */
async function firstHead(tables: Tables, userId: number): Promise<AuditHead> {
  await tables.upsert(AuditHeadEntity, { userId, seq: 0, hash: origin }, 'ignore')
  const head = await lockHead(tables, userId)
  if (head === null) throw new Error(`The audit log of account ${userId} has no head.`)
  return head
}

/** The newest entry of an account. */
export type AuditHead = { userId: number; seq: number; hash: string }

/** The hash that the first entry of an account is chained to. */
export const origin = '0'.repeat(64)

type Hashed = { userId: number; seq: number; at: string; kind: string; subject: string; facts: string }

/** The hash of an entry, over the hash of the previous entry and all fields of this one. */
export function chained(before: string, { userId, seq, at, kind, subject, facts }: Hashed): string {
  return createHash('sha256')
    .update(JSON.stringify([before, userId, seq, at, kind, subject, facts]))
    .digest('hex')
}

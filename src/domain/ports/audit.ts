/** Something that was decided or done for an account, as it is kept for good. */
export type AuditEntry = {
  userId: number
  at: Date
  kind: 'quote' | 'risk' | 'decision' | 'signature' | 'send' | 'receipt'
  /** What it is about: a quote's id or an execution's. */
  subject: string
  /** Plain values; whole numbers as text. Never a key, a token or a password. */
  facts: Record<string, unknown>
}

/** The append-only record: each entry of an account carries the hash of the one before, so that none can be changed, left out or put between. */
export interface Audit {
  append(entry: AuditEntry): Promise<void>
}

import type { Reference } from '../ports/outbox.ts'

/** The text of a reference: its column in storage, its key in the ledger and its name in logs. No two references share one. */
export function referenceText(reference: Reference): string {
  switch (reference.kind) {
    case 'trade':
      return reference.id
    case 'wallet':
      return reference.failed === 0 ? `wallet:${reference.id}` : `wallet:${reference.id}:${reference.failed}`
    default:
      return `${reference.kind}:${reference.id}`
  }
}

/** The reverse of `referenceText`. Throws for an unknown kind, so that no such row is mistaken for a trade. */
export function parseReference(text: string): Reference {
  const [, kind, id] = /^(revoke|faucet|gap):(.+)$/s.exec(text) ?? []
  if (kind !== undefined && id !== undefined) return { kind: kind as 'revoke' | 'faucet' | 'gap', id }
  if (text !== '' && !text.includes(':')) return { kind: 'trade', id: text }
  const wallet = /^wallet:(\d+)(?::(\d+))?$/.exec(text)
  if (wallet === null) throw new Error(`The stored reference ${text} is of an unknown kind.`)
  return { kind: 'wallet', id: Number(wallet[1]), failed: Number(wallet[2] ?? 0) }
}

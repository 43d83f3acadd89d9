import type { Hex } from '../ports/chains.ts'
import type { Reference, StoredReference } from '../ports/outbox.ts'

/** The text of a reference: its column in storage, its key in the ledger and its name in logs. No two references share one. */
export function referenceText(reference: StoredReference): string {
  switch (reference.kind) {
    case 'trade':
    case 'unknown':
      return reference.id
    case 'wallet':
      return reference.failed === 0 ? `wallet:${reference.id}` : `wallet:${reference.id}:${reference.failed}`
    default:
      return `${reference.kind}:${reference.id}`
  }
}

/** The reverse of `referenceText`. Throws where the kind is unknown. */
export function parseReference(text: string): Reference {
  const reference = parseStoredReference(text)
  if (reference.kind === 'unknown') throw new Error(`The stored reference ${text} is of an unknown kind.`)
  return reference
}

/** The same for storage: a text of an unknown kind is returned as such, so that the rows around it can still be read. */
export function parseStoredReference(text: string): StoredReference {
  const [, kind, id] = /^(revoke|faucet|gap):(.+)$/s.exec(text) ?? []
  if (kind !== undefined && id !== undefined) return { kind: kind as 'revoke' | 'faucet' | 'gap', id }
  if (text !== '' && !text.includes(':')) return { kind: 'trade', id: text }
  const wallet = /^wallet:(\d+)(?::(\d+))?$/.exec(text)
  if (wallet === null) return { kind: 'unknown', id: text }
  return { kind: 'wallet', id: Number(wallet[1]), failed: Number(wallet[2] ?? 0) }
}

/** The key in the ledger of a transaction between wallets of an account, and its hash by that key; null for others. */
export const ownReference = (hash: Hex): string => `own:${hash.toLowerCase()}`
export const hashOfOwn = (reference: string): Hex | null =>
  reference.startsWith('own:') ? (reference.slice('own:'.length) as Hex) : null

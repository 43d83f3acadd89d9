import { referenceText } from '../../../domain/core/reference.ts'
import type { Outgoing, OutgoingChange, TransactionChange } from '../../../domain/ports/outbox.ts'
import type { AuditEntry } from '../audit/audit.ts'
import { storedOutcome, storedPurpose } from './outgoing-rows.ts'

/** What the audit log has of a change to a transaction: its signature, its acceptance by a node, and its result. */
export function auditOfChange({ transaction, change }: TransactionChange): AuditEntry[] {
  const { attempt, offered } = change
  const subject = referenceText(transaction.reference)
  const entries: AuditEntry[] = []
  if (attempt !== undefined) {
    const { hash, purpose, fees } = attempt
    const { chainId, from, nonce, kind } = transaction
    // A cancellation only uses the nonce, and calls nothing.
    const call = purpose === 'cancel' ? {} : { to: transaction.call.to, value: `${transaction.call.value}`, kind }
    const facts = {
      hash,
      purpose: storedPurpose(purpose),
      chain_id: chainId,
      from,
      nonce,
      ...call,
      max_fee_per_gas: `${fees.maxFeePerGas}`,
    }
    entries.push({ kind: 'signature', subject, facts })
  }
  if (offered !== undefined)
    entries.push({ kind: 'send', subject, facts: { hash: offered.hash, block: `${offered.at}` } })
  const result = resultOf(transaction, change)
  if (result !== null) entries.push({ kind: 'receipt', subject, facts: result })
  return entries
}

/** The result of the transaction; null where the change has none. */
function resultOf({ hash }: Outgoing, { move, mined, error }: OutgoingChange): Record<string, unknown> | null {
  if (mined !== undefined) {
    const { blockNumber, blockHash, outcome } = mined
    return {
      hash: mined.hash,
      state: move?.to ?? 'included',
      outcome: storedOutcome(outcome),
      block: `${blockNumber}`,
      block_hash: blockHash,
    }
  }
  const hasResult = move?.to === 'reorganised' || move?.to === 'finalized' || move?.to === 'failed'
  return hasResult ? { hash, state: move.to, ...(error === undefined ? {} : { error }) } : null
}

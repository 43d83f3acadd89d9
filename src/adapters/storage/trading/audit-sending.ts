import { referenceText } from '../../../domain/core/reference.ts'
import type { Outgoing, OutgoingChange } from '../../../domain/ports/outbox.ts'
import { appendAudit } from '../audit/audit.ts'
import type { Tables } from '../connection/tables.ts'
import { WalletEntity } from '../entities/accounts.ts'
import { storedOutcome, storedPurpose } from './outgoing-rows.ts'

/** Writes a change to a transaction to the audit log: its signature, its acceptance by a node, and its result. */
export async function auditChange(tables: Tables, transaction: Outgoing, change: OutgoingChange): Promise<void> {
  const { attempt, offered } = change
  const result = resultOf(transaction, change)
  if (attempt === undefined && offered === undefined && result === null) return
  const about = { userId: await ownerOf(tables, transaction), subject: referenceText(transaction.reference) }
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
    await appendAudit(tables, { ...about, kind: 'signature', facts })
  }
  if (offered !== undefined) {
    await appendAudit(tables, { ...about, kind: 'send', facts: { hash: offered.hash, block: `${offered.at}` } })
  }
  if (result !== null) await appendAudit(tables, { ...about, kind: 'receipt', facts: result })
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

/** The account whose wallet sends; 0 where the gateway itself sends. */
async function ownerOf(tables: Tables, { from }: Outgoing): Promise<number> {
  const wallet = await tables.findOne(WalletEntity, { addressKey: from.toLowerCase() }, { fields: ['userId'] })
  return wallet === null ? 0 : Number(wallet.userId)
}

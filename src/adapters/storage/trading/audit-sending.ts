import type { SqlEntityManager } from '@mikro-orm/sqlite'
import { referenceText } from '../../../domain/core/reference.ts'
import type { Outgoing, OutgoingChange } from '../../../domain/ports/outbox.ts'
import { appendAudit } from '../audit/audit.ts'
import { WalletEntity } from '../entities/accounts.ts'
import { storedOutcome, storedPurpose } from './outgoing-rows.ts'

/** Writes a change of a transaction to the audit log: signed, broadcast, and its outcome. */
export async function auditChange(em: SqlEntityManager, leg: Outgoing, change: OutgoingChange): Promise<void> {
  const { attempt, offered } = change
  const ended = endOf(leg, change)
  if (attempt === undefined && offered === undefined && ended === null) return
  const about = { userId: await ownerOf(em, leg), subject: referenceText(leg.reference) }
  if (attempt !== undefined) {
    const { hash, purpose, fees } = attempt
    const { chainId, from, nonce, kind } = leg
    // A cancellation is signed for its nonce only.
    const call = purpose === 'cancel' ? {} : { to: leg.call.to, value: `${leg.call.value}`, kind }
    const facts = {
      hash,
      purpose: storedPurpose(purpose),
      chain_id: chainId,
      from,
      nonce,
      ...call,
      max_fee_per_gas: `${fees.maxFeePerGas}`,
    }
    await appendAudit(em, { ...about, kind: 'signature', facts })
  }
  if (offered !== undefined) {
    await appendAudit(em, { ...about, kind: 'send', facts: { hash: offered.hash, block: `${offered.at}` } })
  }
  if (ended !== null) await appendAudit(em, { ...about, kind: 'receipt', facts: ended })
}

/** The outcome, where the change is final; null otherwise. */
function endOf({ hash }: Outgoing, { move, mined, error }: OutgoingChange): Record<string, unknown> | null {
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
  const tells = move?.to === 'reorganised' || move?.to === 'finalized' || move?.to === 'failed'
  return tells ? { hash, state: move.to, ...(error === undefined ? {} : { error }) } : null
}

/** The account that owns the sending wallet; 0 for the gateway's own. */
async function ownerOf(em: SqlEntityManager, { from }: Outgoing): Promise<number> {
  const wallet = await em.findOne(WalletEntity, { addressKey: from.toLowerCase() }, { fields: ['userId'] })
  return wallet === null ? 0 : Number(wallet.userId)
}

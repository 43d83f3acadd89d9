import type { FilterQuery } from '@mikro-orm/core'
import { parseStoredReference, referenceText } from '../../../domain/core/reference.ts'
import type { Hex } from '../../../domain/ports/chains.ts'
import type { Attempt, Outcome, Outgoing, OutgoingState } from '../../../domain/ports/outbox.ts'
import type { Tables } from '../connection/tables.ts'
import { WalletEntity } from '../entities/accounts.ts'
import { AttemptEntity, type AttemptRow, OutgoingEntity, type OutgoingRow } from '../entities/sending.ts'

type Page = { orderBy: { id: 'asc' }; limit: number }

/** Transactions with their attempts: by reference and position, or a page by id. */
export async function readTransactions(tables: Tables, where: FilterQuery<OutgoingRow>, page?: Page) {
  const order = page ?? { orderBy: { reference: 'asc', position: 'asc' } as const }
  const rows: OutgoingRow[] = await tables.find(OutgoingEntity, where, order)
  if (rows.length === 0) return []
  const mine = { outgoingId: rows.map(({ id }) => id) }
  const attempts = await tables.find(AttemptEntity, mine, { orderBy: { position: 'asc' } })
  const byTransaction = Map.groupBy(attempts, ({ outgoingId }) => outgoingId)
  return rows.map((row): Outgoing => outgoingOf(row, (byTransaction.get(row.id) ?? []).map(attemptOf)))
}

/** The account whose wallet sends; 0 where the gateway itself sends. */
export async function ownerOf(tables: Tables, sender: string): Promise<number> {
  const wallet = await tables.findOne(WalletEntity, { addressKey: sender.toLowerCase() }, { fields: ['userId'] })
  return Number(wallet?.userId ?? 0)
}

/** The stored name of an attempt's purpose, in the database and in the audit log. */
export function storedPurpose(purpose: Attempt['purpose']): string {
  return purpose === 'cancel' ? 'fill' : purpose
}

/** The stored name of an outcome, in the database and in the audit log. */
export function storedOutcome(outcome: Outcome): string {
  return outcome === 'cancelled' ? 'filled' : outcome
}

export function attemptRow(outgoingId: number, position: number, attempt: Attempt) {
  const { purpose, raw, hash, fees, offeredAt } = attempt
  return {
    outgoingId,
    position,
    purpose: storedPurpose(purpose),
    raw,
    hash: hash.toLowerCase(),
    maxFeePerGas: `${fees.maxFeePerGas}`,
    // Empty for a legacy transaction: earlier versions, which know none, read it as zero.
    maxPriorityFeePerGas: `${fees.maxPriorityFeePerGas ?? ''}`,
    offeredAt: offeredAt === null ? null : Number(offeredAt),
  }
}

function attemptOf(row: AttemptRow): Attempt {
  return {
    purpose: row.purpose === 'fill' ? 'cancel' : 'leg',
    raw: row.raw as Hex,
    hash: row.hash as Hex,
    fees: {
      maxFeePerGas: BigInt(row.maxFeePerGas),
      maxPriorityFeePerGas: row.maxPriorityFeePerGas === '' ? null : BigInt(row.maxPriorityFeePerGas),
    },
    offeredAt: row.offeredAt == null ? null : BigInt(row.offeredAt),
  }
}

/** The row of a transaction that was reserved at this time. */
export function outgoingRow(transaction: Omit<Outgoing, 'id'>, position: number, createdAt: Date) {
  const { from, call, gas, deadline, ...rest } = transaction
  const { version, chainId, userId, nonce, kind, state, reference } = rest
  return {
    version,
    chainId,
    sender: from.toLowerCase(),
    fromAddress: from,
    userId,
    nonce,
    kind,
    reference: referenceText(reference),
    position,
    toAddress: call.to,
    data: call.data,
    value: `${call.value}`,
    gas: `${gas}`,
    deadline: deadline === null ? null : Number(deadline),
    state,
    notified: false,
    settled: false,
    createdAt,
  }
}

function outgoingOf(row: OutgoingRow, attempts: readonly Attempt[]): Outgoing {
  const whole = (value: number | null | undefined) => (value == null ? null : BigInt(value))
  return {
    id: row.id,
    version: row.version,
    chainId: row.chainId,
    from: row.fromAddress as Hex,
    userId: row.userId ?? null,
    nonce: row.nonce ?? null,
    kind: row.kind as Outgoing['kind'],
    reference: parseStoredReference(row.reference),
    call: { to: row.toAddress as Hex, data: row.data as Hex, value: BigInt(row.value) },
    gas: BigInt(row.gas),
    deadline: whole(row.deadline),
    attempts,
    hash: (row.hash ?? null) as Hex | null,
    state: row.state as OutgoingState,
    outcome: row.outcome === 'filled' ? 'cancelled' : ((row.outcome ?? null) as Outcome | null),
    blockNumber: whole(row.blockNumber),
    blockHash: (row.blockHash ?? null) as Hex | null,
    error: row.error ?? null,
    uncancellable: row.uncancellable ?? null,
    notified: row.notified,
  }
}

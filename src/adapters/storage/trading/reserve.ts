import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sqlite'
import { referenceText } from '../../../domain/core/reference.ts'
import { sameAddress } from '../../../domain/ports/chains.ts'
import { statesBeforeNonce } from '../../../domain/ports/moves.ts'
import type { Outgoing, ReserveRefusal, ReserveRequest } from '../../../domain/ports/outbox.ts'
import type { PolicyFacts, TradeReservation } from '../../../domain/ports/trade-policy.ts'
import type { Execution } from '../../../domain/ports/trades.ts'
import { haltCovering } from '../accounts/halts.ts'
import { readPolicy } from '../accounts/wallet-policies.ts'
import { appendAudit } from '../audit/audit.ts'
import { AccountEntity } from '../entities/accounts.ts'
import { AccountLockEntity, OutgoingEntity } from '../entities/sending.ts'
import { ExecutionEntity, type ExecutionRow, QuoteUseEntity } from '../entities/trading.ts'
import { executionOf, journal } from './executions.ts'
import { readTransactions } from './outgoing-rows.ts'

/** Ends a reservation and rolls it back. */
export class Refusal extends Error {
  readonly reason: ReserveRefusal

  constructor(reason: ReserveRefusal) {
    super('Nothing was reserved.')
    this.reason = reason
  }
}

/**
 * Reserves the nonces of a reference within a transaction (W1). The account's row is locked, so reservations run one at
 * a time over all processes.
 */
export async function reserve(em: SqlEntityManager, request: ReserveRequest): Promise<Outgoing[]> {
  const { chainId, from, legs, floor, deadline, trade } = request
  const reference = referenceText(request.reference)
  const sender = from.toLowerCase()
  const locked = { lockMode: LockMode.PESSIMISTIC_WRITE } as const
  if ((await em.findOne(AccountLockEntity, { chainId, sender }, locked)) === null) {
    await em.upsert(AccountLockEntity, { chainId, sender }, { onConflictAction: 'ignore' })
    await em.findOneOrFail(AccountLockEntity, { chainId, sender }, { ...locked, refresh: true })
  }
  const known = await readTransactions(em, { reference })
  if (known.length > 0) return known
  const accepted = trade === undefined ? null : await reserveTrade(em, trade)
  const [highest] = await em.find(
    OutgoingEntity,
    { chainId, sender, nonce: { $ne: null } },
    { orderBy: { nonce: 'desc' }, limit: 1 },
  )
  const first = request.at ?? Math.max(floor, (highest?.nonce ?? -1) + 1)
  if (request.at !== undefined && (await em.count(OutgoingEntity, { chainId, sender, nonce: first })) > 0) {
    throw new Refusal('taken')
  }
  for (const [position, { kind, call, gas }] of legs.entries()) {
    await em.insert(OutgoingEntity, {
      version: 1,
      chainId,
      sender,
      fromAddress: from,
      nonce: first + position,
      kind,
      reference,
      position,
      toAddress: call.to,
      data: call.data,
      value: `${call.value}`,
      gas: `${gas}`,
      deadline: deadline === undefined ? null : Number(deadline),
      state: 'reserved',
      notified: false,
      settled: false,
    })
  }
  if (accepted !== null) await auditAccepted(em, accepted, first)
  return await readTransactions(em, { reference })
}

async function auditAccepted(em: SqlEntityManager, execution: Execution, nonce: number): Promise<void> {
  const { userId, id, quoteId, walletAddress, tokenIn, tokenOut, amountIn, minimumOut, valueUsd } = execution
  const trade = { wallet: walletAddress, token_in: tokenIn, token_out: tokenOut, amount_in: `${amountIn}` }
  const bounds = { minimum_out: `${minimumOut}`, value_usd: valueUsd === null ? null : `${valueUsd}` }
  const facts = { accepted: true, quote_id: quoteId, ...trade, ...bounds, nonce }
  await appendAudit(em, { userId, kind: 'decision', subject: id, facts })
}

/** Moves the execution to `reserved` and marks its quote as used, if every safeguard allows the trade. */
async function reserveTrade(em: SqlEntityManager, trade: TradeReservation): Promise<Execution> {
  const { executionId, quoteId, at } = trade
  const execution = await em.findOne(ExecutionEntity, executionId, { refresh: true })
  if (execution === null) throw new Refusal('gone')
  // The account's row is locked, so its trades are counted one reservation at a time, over all processes and wallets.
  await em.findOneOrFail(AccountEntity, Number(execution.userId), { lockMode: LockMode.PESSIMISTIC_WRITE })
  const forbidden = trade.forbids(await factsOf(em, execution, trade))
  if (forbidden !== null) throw new Refusal({ forbidden })
  const step = execution.step + 1
  const where = { id: executionId, step: execution.step, state: [...statesBeforeNonce] }
  const moved = await em.nativeUpdate(ExecutionEntity, where, {
    state: 'reserved',
    step,
    reservedAt: at,
    updatedAt: at,
  })
  if (moved === 0) throw new Refusal('gone')
  await em.insert(QuoteUseEntity, { quoteId, executionId })
  const reserved: Execution = { ...executionOf(execution), state: 'reserved', step, updatedAt: at }
  await journal(em, reserved)
  return reserved
}

async function factsOf(
  em: SqlEntityManager,
  execution: ExecutionRow,
  { since, quoteId }: TradeReservation,
): Promise<PolicyFacts> {
  const { walletAddress, chainId } = execution
  const traded = await tradedAfter(em, Number(execution.userId), since)
  const sum = (rows: typeof traded) => rows.reduce((total, { value_usd }) => total + BigInt(value_usd ?? 0), 0n)
  return {
    accountUsd: sum(traded),
    walletUsd: sum(traded.filter(({ wallet_address }) => sameAddress(wallet_address, walletAddress))),
    walletPolicy: await readPolicy(em, walletAddress),
    halt: await haltCovering(em, chainId, walletAddress),
    quoteUsed: (await em.count(QuoteUseEntity, { quoteId })) > 0,
  }
}

type Traded = { value_usd: string | null; wallet_address: string }

/**
 * Read without entities, because an account may have many thousand trades in a day and is locked meanwhile. A trade
 * that was mined without effect does not count, like one that failed. A trade without a stored reservation time counts
 * from its last change, which was not earlier.
 */
async function tradedAfter(em: SqlEntityManager, userId: number, moment: Date): Promise<Traded[]> {
  const recent = { $or: [{ reservedAt: { $gt: moment } }, { reservedAt: null, updatedAt: { $gt: moment } }] }
  const effective = { $or: [{ basis: null }, { amountOut: { $ne: null } }] }
  const where = { userId, state: { $nin: [...statesBeforeNonce, 'failed'] }, $and: [recent, effective] }
  const query = em.createQueryBuilder(ExecutionEntity).select(['valueUsd', 'walletAddress']).where(where)
  return await query.execute<Traded[]>('all', false)
}

import { referenceText } from '../../../domain/core/reference.ts'
import { sameAddress } from '../../../domain/ports/chains.ts'
import { statesBeforeNonce } from '../../../domain/ports/moves.ts'
import type { Outgoing, ReserveRefusal, ReserveRequest } from '../../../domain/ports/outbox.ts'
import type { PolicyFacts, TradeReservation } from '../../../domain/ports/trade-policy.ts'
import type { Execution } from '../../../domain/ports/trades.ts'
import { haltCovering } from '../accounts/halts.ts'
import { lockAccount } from '../accounts/lock-account.ts'
import { lockSession } from '../accounts/lock-session.ts'
import { readPolicy } from '../accounts/wallet-policies.ts'
import { appendAudit } from '../audit/audit.ts'
import type { Tables } from '../connection/tables.ts'
import { AccountLockEntity, OutgoingEntity } from '../entities/sending.ts'
import { ExecutionEntity, type ExecutionRow, QuoteUseEntity } from '../entities/trading.ts'
import { feedMoves, holdHalts } from '../feed/feed-events.ts'
import { executionOf } from './execution-rows.ts'
import { journal } from './executions.ts'
import { outgoingRow, ownerOf, readTransactions } from './outgoing-rows.ts'
import { auditOfQuote } from './quotes.ts'
import { tradedAfter } from './traded.ts'

/** Thrown in a reservation to roll it back. */
export class Refusal extends Error {
  readonly reason: ReserveRefusal

  constructor(reason: ReserveRefusal) {
    super('Nothing was reserved.')
    this.reason = reason
  }
}

/**
 * Reserves within a database transaction, the only one that hands out nonces, after the checks of a trade (W1). The
 * reservations of an account run one after the other, over all processes.
 */
export async function reserve(tables: Tables, request: ReserveRequest): Promise<Outgoing[]> {
  const { chainId, from, legs, floor, deadline, trade } = request
  const reference = referenceText(request.reference)
  const sender = from.toLowerCase()
  await lockRow(tables, chainId, sender)
  const known = await readTransactions(tables, { reference })
  if (known.length > 0) return known
  const accepted = trade === undefined ? null : await reserveTrade(tables, trade)
  const first = request.at ?? (await nextNonce(tables, chainId, sender, floor))
  if (request.at !== undefined && (await tables.count(OutgoingEntity, { chainId, sender, nonce: first })) > 0) {
    throw new Refusal('taken')
  }
  const userId = accepted?.userId ?? (await ownerOf(tables, sender))
  const at = trade?.at ?? new Date()
  const reserved: Outgoing[] = []
  for (const [position, leg] of legs.entries()) {
    const place = { chainId, from, userId, reference: request.reference, nonce: first + position }
    const transaction = { ...freshLeg, ...leg, ...place, deadline: deadline ?? null }
    reserved.push({ ...transaction, id: await tables.insert(OutgoingEntity, outgoingRow(transaction, position, at)) })
  }
  if (accepted !== null && trade !== undefined) {
    await feedMoves(tables, accepted.userId, [accepted])
    await auditAccepted(tables, accepted, trade.quoteId, first)
  }
  return reserved
}

/** A transaction that has its nonce and nothing more. */
const freshLeg = {
  version: 1,
  attempts: [],
  hash: null,
  state: 'reserved',
  outcome: null,
  blockNumber: null,
  blockHash: null,
  error: null,
  uncancellable: null,
  notified: false,
} as const

/** Locks the row of the account until the transaction ends; the first reservation creates it. */
async function lockRow(tables: Tables, chainId: number, sender: string): Promise<void> {
  const locked = { lock: 'update' } as const
  if ((await tables.findOne(AccountLockEntity, { chainId, sender }, locked)) !== null) return
  await tables.upsert(AccountLockEntity, { chainId, sender }, 'ignore')
  if ((await tables.findOne(AccountLockEntity, { chainId, sender }, locked)) === null)
    throw new Error(`The account ${sender} on chain ${chainId} cannot be locked.`)
}

/** The nonce after the highest one in use, and at least `floor`. */
async function nextNonce(tables: Tables, chainId: number, sender: string, floor: number): Promise<number> {
  const inUse = { chainId, sender, nonce: { $ne: null } }
  const [highest] = await tables.find(OutgoingEntity, inUse, { orderBy: { nonce: 'desc' }, limit: 1 })
  return Math.max(floor, (highest?.nonce ?? -1) + 1)
}

async function auditAccepted(tables: Tables, execution: Execution, quoteId: string, nonce: number): Promise<void> {
  const { userId, id, walletAddress, tokenIn, tokenOut, amountIn, minimumOut, valueUsd, sessionId, agent } = execution
  const trade = { wallet: walletAddress, token_in: tokenIn, token_out: tokenOut, amount_in: `${amountIn}` }
  const bounds = { minimum_out: `${minimumOut}`, value_usd: valueUsd === null ? null : `${valueUsd}` }
  const quote = await auditOfQuote(tables, quoteId)
  const facts = { accepted: true, session: sessionId, label: agent, quote_id: quoteId, ...trade, ...bounds, nonce }
  await appendAudit(tables, userId, ...(quote === null ? [] : [quote]), { kind: 'decision', subject: id, facts })
}

/** Moves the execution to `reserved` and uses its quote, if it still exists and no safeguard forbids the trade (W1). */
async function reserveTrade(tables: Tables, trade: TradeReservation): Promise<Execution> {
  const { executionId, quoteId, message, at } = trade
  const execution = await tables.findOne(ExecutionEntity, executionId)
  if (execution === null) throw new Refusal('gone')
  // The account is locked, so that simultaneous reservations of its wallets count each other's trades.
  if (!(await lockAccount(tables, Number(execution.userId)))) throw new Refusal('gone')
  // Nor does a trade outlive the session that asked for it before it has a nonce.
  if (!(await lockSession(tables, execution.sessionId))) throw new Refusal('gone')
  await holdHalts(tables)
  const forbidden = trade.forbids(await factsOf(tables, execution, trade))
  if (forbidden !== null) throw new Refusal({ forbidden })
  const step = execution.step + 1
  const where = { id: executionId, step: execution.step, state: [...statesBeforeNonce] }
  const moved = await tables.update(ExecutionEntity, where, {
    state: 'reserved',
    step,
    message,
    reservedAt: at,
    updatedAt: at,
  })
  if (moved === 0) throw new Refusal('gone')
  await tables.insert(QuoteUseEntity, { quoteId, executionId })
  const reserved: Execution = { ...executionOf(execution), state: 'reserved', step, message, updatedAt: at }
  await journal(tables, reserved)
  return reserved
}

async function factsOf(
  tables: Tables,
  execution: ExecutionRow,
  { since, quoteId }: TradeReservation,
): Promise<PolicyFacts> {
  const { walletAddress, chainId, sessionId } = execution
  const traded = await tradedAfter(tables, Number(execution.userId), since)
  const sum = (rows: typeof traded) => rows.reduce((total, { valueUsd }) => total + BigInt(valueUsd ?? 0), 0n)
  return {
    accountUsd: sum(traded),
    walletUsd: sum(traded.filter((trade) => sameAddress(trade.walletAddress, walletAddress))),
    sessionUsd: sum(traded.filter((trade) => sessionId != null && trade.sessionId === sessionId)),
    walletPolicy: await readPolicy(tables, walletAddress),
    halt: await haltCovering(tables, chainId, walletAddress),
    quoteUsed: (await tables.count(QuoteUseEntity, { quoteId })) > 0,
  }
}

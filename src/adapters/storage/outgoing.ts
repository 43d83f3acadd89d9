import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sqlite'
import type { Hex } from '../../domain/ports/chains.ts'
import type { Outbox, Outgoing, OutgoingState, ReserveRequest, TradeReservation } from '../../domain/ports/outbox.ts'
import { nextChange } from './changes.ts'
import type { Database } from './database.ts'
import { AccountEntity } from './entities/accounts.ts'
import { ExecutionEntity, OutgoingEntity, type OutgoingRow } from './entities/trading.ts'
import { executionTopic, withoutNonce } from './executions.ts'

/** Most times a reservation is tried again because another process took the nonce or wrote the reference first. */
const attempts = 20

/** The outbox over the database: unique indexes on the nonce and on the reference decide between processes. */
export function openOutbox(database: Database): Outbox {
  const topic = (reference: string) => `outgoing:${reference}`

  return {
    async reserve(request) {
      for (let attempt = 1; ; attempt++) {
        try {
          const reserved = await database.transaction(async (em) => await reserve(em, request))
          if (request.trade !== undefined) database.signals.notify(executionTopic(request.trade.executionId))
          return reserved
        } catch (failure) {
          if (failure instanceof Refusal) return failure.reason
          if (!(failure instanceof UniqueConstraintViolationException) || attempt === attempts) throw failure
        }
      }
    },
    async move(id, from, change) {
      // A failed transaction never reached the chain, so its nonce can serve another.
      const fields = change.state === 'failed' ? { ...change, nonce: null } : change
      return (await database.fork().nativeUpdate(OutgoingEntity, { id, state: from }, fields)) > 0
    },
    async byReference(reference) {
      const rows = await database.fork().find(OutgoingEntity, { reference }, { orderBy: { position: 'asc' } })
      return rows.map(outgoingOf)
    },
    async byHash(hash) {
      const row = await database.fork().findOne(OutgoingEntity, { hash: hash.toLowerCase() })
      return row === null ? null : outgoingOf(row)
    },
    async unsettled(chainId) {
      const where = { chainId, settled: false }
      const rows = await database.fork().find(OutgoingEntity, where, { orderBy: { reference: 'asc', position: 'asc' } })
      return rows.map(outgoingOf)
    },
    async takenNonces(chainId, from, floor) {
      const where = { chainId, sender: from.toLowerCase(), nonce: { $gte: floor } }
      const rows = await database.fork().find(OutgoingEntity, where, { orderBy: { nonce: 'asc' }, fields: ['nonce'] })
      return rows.map(({ nonce }) => Number(nonce))
    },
    async busy(chainId, from) {
      const where = { chainId, sender: from.toLowerCase(), settled: false }
      return (await database.fork().count(OutgoingEntity, where)) > 0
    },
    changed: (reference, signal) => nextChange(database, topic(reference), signal),
    async markSettled(reference) {
      await database.fork().nativeUpdate(OutgoingEntity, { reference }, { settled: true })
      database.signals.notify(topic(reference))
    },
  }
}

class Refusal extends Error {
  readonly reason: 'gone' | 'over_budget' | 'taken'

  constructor(reason: 'gone' | 'over_budget' | 'taken') {
    super(reason)
    this.reason = reason
  }
}

async function reserve(em: SqlEntityManager, request: ReserveRequest): Promise<Outgoing[]> {
  const { chainId, from, reference, legs, floor, trade } = request
  const known = await em.find(OutgoingEntity, { reference }, { orderBy: { position: 'asc' } })
  if (known.length > 0) return known.map(outgoingOf)
  if (trade !== undefined) await reserveTrade(em, trade)
  const sender = from.toLowerCase()
  const [highest] = await em.find(
    OutgoingEntity,
    { chainId, sender, nonce: { $ne: null } },
    { orderBy: { nonce: 'desc' }, limit: 1 },
  )
  const first = request.at ?? Math.max(floor, (highest?.nonce ?? -1) + 1)
  if (request.at !== undefined && (await em.count(OutgoingEntity, { chainId, sender, nonce: first })) > 0) {
    throw new Refusal('taken')
  }
  const reserved: Outgoing[] = []
  for (const [position, { kind, call, gas }] of legs.entries()) {
    const row = {
      chainId,
      sender,
      fromAddress: from,
      nonce: first + position,
      kind,
      reference,
      position,
      toAddress: call.to,
      data: call.data,
      value: call.value.toString(),
      gas: gas.toString(),
      raw: null,
      hash: null,
      state: 'reserved',
      error: null,
      settled: false,
    }
    reserved.push(outgoingOf({ ...row, id: await em.insert(OutgoingEntity, row) }))
  }
  return reserved
}

/** Moves the execution to `reserved` if it is still there and its account may still spend that much. */
async function reserveTrade(em: SqlEntityManager, { executionId, at, budget }: TradeReservation): Promise<void> {
  const execution = await em.findOne(ExecutionEntity, executionId)
  if (execution === null) throw new Refusal('gone')
  if (budget !== null) {
    const userId = Number(execution.userId)
    // The account's trades are counted one reservation after the other, in every process.
    await em.findOneOrFail(AccountEntity, userId, { lockMode: LockMode.PESSIMISTIC_WRITE })
    const spent = await em.find(ExecutionEntity, {
      userId,
      createdAt: { $gte: budget.since },
      state: ['reserved', 'signed', 'broadcast', 'included'],
    })
    const sum = [...spent, execution].reduce((total, { valueUsd }) => total + BigInt(valueUsd ?? 0), 0n)
    if (sum > budget.limitUsd) throw new Refusal('over_budget')
  }
  const where = { id: executionId, state: [...withoutNonce] }
  const moved = await em.nativeUpdate(ExecutionEntity, where, { state: 'reserved', updatedAt: at })
  if (moved === 0) throw new Refusal('gone')
}

function outgoingOf(row: Omit<OutgoingRow, 'settled'>): Outgoing {
  return {
    id: row.id,
    chainId: row.chainId,
    from: row.fromAddress as Hex,
    nonce: row.nonce ?? null,
    kind: row.kind as Outgoing['kind'],
    reference: row.reference,
    call: { to: row.toAddress as Hex, data: row.data as Hex, value: BigInt(row.value) },
    gas: BigInt(row.gas),
    raw: (row.raw ?? null) as Hex | null,
    hash: (row.hash ?? null) as Hex | null,
    state: row.state as OutgoingState,
    error: row.error ?? null,
  }
}

import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { Hex } from '../../../domain/ports/chains.ts'
import { ripeningStates, waitingStates } from '../../../domain/ports/moves.ts'
import type { Outbox, Outgoing, OutgoingChange } from '../../../domain/ports/outbox.ts'
import { nextChange } from '../connection/changes.ts'
import type { Database } from '../connection/database.ts'
import { claimLane, releaseLane } from '../connection/lanes.ts'
import { quoted } from '../connection/reads.ts'
import { AttemptEntity, OutgoingEntity } from '../entities/sending.ts'
import { auditChange } from './audit-sending.ts'
import { executionTopic } from './executions.ts'
import { attemptRow, readLegs } from './outgoing-rows.ts'
import { Refusal, reserve } from './reserve.ts'

/** Most times a reservation is tried again because another process wrote the reference or the lane first. */
const attempts = 20

/** Waits for a block, or for somebody to be told. */
const atWork = `settled = false and (told = false or state in (${quoted(waitingStates)}))`

/** The outbox over the database: the lane's row and unique indexes on nonce and reference decide between processes. */
export function openOutbox(database: Database): Outbox {
  const accounts = database.hotRead<{ sender: Hex }>(
    'accounts_at_work',
    `select distinct sender from outgoing where chain_id = ? and ${atWork} and sender > ? order by sender limit ?`,
  )
  const ofAccount = database.hotRead<Pick<Outgoing, 'id' | 'reference'>>(
    'account_at_work',
    `select id, reference from outgoing where chain_id = ? and sender = ? and ${atWork} and id > ? order by id limit ?`,
  )
  const topic = (reference: string) => `outgoing:${reference}`

  return {
    async reserve(request) {
      for (let attempt = 1; ; attempt++) {
        try {
          const reserved = await database.transaction(async (em) => await reserve(em, request))
          if (request.trade !== undefined) database.signals.notify(executionTopic(request.trade.executionId))
          return reserved
        } catch (failure) {
          if (failure instanceof Refusal) return { refused: failure.reason }
          if (!(failure instanceof UniqueConstraintViolationException) || attempt === attempts) throw failure
        }
      }
    },
    async change(leg, change) {
      return await database.transaction(async (em) => {
        const where = { id: leg.id, version: leg.version }
        const changed = await em.nativeUpdate(OutgoingEntity, where, changedFields(leg, change))
        if (changed === 0) return null
        const { attempt, offered } = change
        if (attempt !== undefined) await em.insert(AttemptEntity, attemptRow(leg.id, leg.attempts.length, attempt))
        if (offered !== undefined) {
          await em.nativeUpdate(AttemptEntity, { hash: offered.hash }, { offeredAt: Number(offered.at) })
        }
        await auditChange(em, leg, change)
        return outgoingAfter(leg, change)
      })
    },
    byReference: async (reference) => await readLegs(database.fork(), { reference }),
    async byHash(hash) {
      const em = database.fork()
      const attempt = await em.findOne(AttemptEntity, { hash: hash.toLowerCase() })
      return attempt === null ? null : ((await readLegs(em, { id: attempt.outgoingId }))[0] ?? null)
    },
    async atWork(chainId, after, limit) {
      return (await accounts(chainId, after.toLowerCase(), limit)).map(({ sender }) => sender)
    },
    unfinished: async (chainId, from, after, limit) => await ofAccount(chainId, from.toLowerCase(), after, limit),
    async maturing(chainId, after, limit) {
      const where = { chainId, settled: false, state: [...ripeningStates], id: { $gt: after } }
      return await readLegs(database.fork(), where, { orderBy: { id: 'asc' }, limit })
    },
    async takenNonces(chainId, from, floor) {
      const where = { chainId, sender: from.toLowerCase(), nonce: { $gte: floor } }
      const rows = await database.fork().find(OutgoingEntity, where, { orderBy: { nonce: 'asc' }, fields: ['nonce'] })
      return rows.map(({ nonce }) => Number(nonce))
    },
    busy: async (chainId, from) => (await ofAccount(chainId, from.toLowerCase(), 0, 1)).length > 0,
    async newestBlock(chainId, from) {
      const mined = { state: [...ripeningStates], blockNumber: { $ne: null } }
      const where = { chainId, sender: from.toLowerCase(), settled: false, ...mined }
      const [row] = await database.fork().find(OutgoingEntity, where, { orderBy: { blockNumber: 'desc' }, limit: 1 })
      if (row?.blockNumber == null || row.blockHash == null) return null
      return { number: BigInt(row.blockNumber), hash: row.blockHash as Hex }
    },
    async markTold(legs, settledAt) {
      await database.transaction(async (em) => {
        for (const { id, version } of legs) {
          const end = settledAt === null ? {} : { settled: true, settledAt }
          await em.nativeUpdate(OutgoingEntity, { id, version }, { told: true, ...end })
        }
      })
      for (const reference of new Set(legs.map((leg) => leg.reference))) database.signals.notify(topic(reference))
    },
    async purge(before, limit) {
      const page = { orderBy: { settledAt: 'asc' }, fields: ['id'], limit } as const
      const old = await database.fork().find(OutgoingEntity, { settledAt: { $lt: before } }, page)
      if (old.length === 0) return 0
      const id = old.map((row) => row.id)
      await database.transaction(async (em) => {
        await em.nativeDelete(AttemptEntity, { outgoingId: id })
        await em.nativeDelete(OutgoingEntity, { id })
      })
      return id.length
    },
    changed: (reference, signal) => nextChange(database, topic(reference), signal),
    claimLane: async (chainId, from) => await claimLane(database, chainId, from),
    releaseLane: async (chainId, from) => await releaseLane(database, chainId, from),
  }
}

/** What the row is after the change, to the version that was read. */
function outgoingAfter(leg: Outgoing, { move, attempt, offered, mined, error, unfillable }: OutgoingChange): Outgoing {
  const attempts = attempt === undefined ? leg.attempts : [...leg.attempts, { ...attempt, hash: lower(attempt.hash) }]
  const first = offered === undefined ? null : { hash: lower(offered.hash), at: offered.at }
  const noBlock = { outcome: null, blockNumber: null, blockHash: null }
  return {
    ...leg,
    version: leg.version + 1,
    attempts: attempts.map((one) => (one.hash === first?.hash ? { ...one, offeredAt: first.at } : one)),
    ...(move === undefined ? {} : { state: move.to }),
    ...(move?.to === 'failed' ? { nonce: null } : {}),
    ...(move?.to === 'reorganised' ? noBlock : {}),
    ...(attempt === undefined ? {} : { hash: attempt.hash }),
    ...mined,
    ...(error === undefined ? {} : { error }),
    ...(unfillable === undefined ? {} : { unfillable }),
  }
}

const lower = (hash: Hex) => hash.toLowerCase() as Hex

/** A failed transaction never reached a block, so its nonce can serve another; one whose block is gone has none. */
function changedFields(leg: Outgoing, { move, attempt, mined, error, unfillable }: OutgoingChange) {
  return {
    version: leg.version + 1,
    told: false,
    ...(move === undefined ? {} : { state: move.to }),
    ...(move?.to === 'failed' ? { nonce: null } : {}),
    ...(move?.to === 'reorganised'
      ? { outcome: null, blockNumber: null, blockHash: null, settled: false, settledAt: null }
      : {}),
    ...(attempt === undefined ? {} : { hash: attempt.hash }),
    ...(mined === undefined ? {} : { ...mined, blockNumber: Number(mined.blockNumber) }),
    ...(error === undefined ? {} : { error }),
    ...(unfillable === undefined ? {} : { unfillable }),
  }
}

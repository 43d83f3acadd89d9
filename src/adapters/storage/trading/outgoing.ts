import { UniqueConstraintViolationException } from '@mikro-orm/core'
import { parseReference, referenceText } from '../../../domain/core/reference.ts'
import type { Hex } from '../../../domain/ports/chains.ts'
import { confirmingStates, waitingStates } from '../../../domain/ports/moves.ts'
import type { Outbox, Outgoing, OutgoingChange, Reference } from '../../../domain/ports/outbox.ts'
import { lockAccount, unlockAccount } from '../connection/account-locks.ts'
import { nextChange } from '../connection/changes.ts'
import type { Database } from '../connection/database.ts'
import { quoted } from '../connection/reads.ts'
import { AttemptEntity, OutgoingEntity } from '../entities/sending.ts'
import { auditChange } from './audit-sending.ts'
import { executionTopic } from './executions.ts'
import { attemptRow, readTransactions, storedOutcome } from './outgoing-rows.ts'
import { Refusal, reserve } from './reserve.ts'

/**
 * The most attempts of a reservation, which is repeated where another process inserted the reference or the account
 * lock first.
 */
const attempts = 20

/** Open work: a transaction without its final block, or whose follower was not notified yet (W7). */
const hasWork = `settled = false and (told = false or state in (${quoted(waitingStates)}))`

/**
 * The outbox over the database. The account lock (W3) and the unique indexes on nonce (W1) and reference decide between
 * processes.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one method for each statement of the port
export function openOutbox(database: Database): Outbox {
  const accounts = database.hotRead<{ sender: Hex }>(
    'accounts_with_work',
    `select distinct sender from outgoing where chain_id = ? and ${hasWork} and sender > ? order by sender limit ?`,
  )
  const ofAccount = database.hotRead<{ id: number; reference: string }>(
    'account_with_work',
    `select id, reference from outgoing where chain_id = ? and sender = ? and ${hasWork} and id > ? order by id limit ?`,
  )
  const topic = (reference: Reference) => `outgoing:${referenceText(reference)}`

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
    byReference: async (reference) => await readTransactions(database.fork(), { reference: referenceText(reference) }),
    async byHash(hash) {
      const em = database.fork()
      const attempt = await em.findOne(AttemptEntity, { hash: hash.toLowerCase() })
      return attempt === null ? null : ((await readTransactions(em, { id: attempt.outgoingId }))[0] ?? null)
    },
    async accountsWithWork(chainId, after, limit) {
      return (await accounts(chainId, after.toLowerCase(), limit)).map(({ sender }) => sender)
    },
    async unfinished(chainId, from, after, limit) {
      const rows = await ofAccount(chainId, from.toLowerCase(), after, limit)
      return rows.map(({ id, reference }) => ({ id, reference: parseReference(reference) }))
    },
    async confirming(chainId, after, limit) {
      const where = { chainId, settled: false, state: [...confirmingStates], id: { $gt: after } }
      return await readTransactions(database.fork(), where, { orderBy: { id: 'asc' }, limit })
    },
    async takenNonces(chainId, from, floor) {
      const where = { chainId, sender: from.toLowerCase(), nonce: { $gte: floor } }
      const rows = await database.fork().find(OutgoingEntity, where, { orderBy: { nonce: 'asc' }, fields: ['nonce'] })
      return rows.map(({ nonce }) => Number(nonce))
    },
    busy: async (chainId, from) => (await ofAccount(chainId, from.toLowerCase(), 0, 1)).length > 0,
    async newestBlock(chainId, from) {
      const mined = { state: [...confirmingStates], blockNumber: { $ne: null } }
      const where = { chainId, sender: from.toLowerCase(), settled: false, ...mined }
      const [row] = await database.fork().find(OutgoingEntity, where, { orderBy: { blockNumber: 'desc' }, limit: 1 })
      if (row?.blockNumber == null || row.blockHash == null) return null
      return { number: BigInt(row.blockNumber), hash: row.blockHash as Hex }
    },
    async markNotified(transactions, settledAt) {
      await database.transaction(async (em) => {
        for (const { id, version } of transactions) {
          const end = settledAt === null ? {} : { settled: true, settledAt }
          await em.nativeUpdate(OutgoingEntity, { id, version }, { notified: true, ...end })
        }
      })
      for (const name of new Set(transactions.map(({ reference }) => topic(reference)))) database.signals.notify(name)
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
    lockAccount: async (chainId, from) => await lockAccount(database, chainId, from),
    unlockAccount: async (chainId, from) => await unlockAccount(database, chainId, from),
  }
}

/** The transaction after the change, which was applied to the version that was read. */
function outgoingAfter(
  leg: Outgoing,
  { move, attempt, offered, mined, error, uncancellable }: OutgoingChange,
): Outgoing {
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
    ...(uncancellable === undefined ? {} : { uncancellable }),
  }
}

const lower = (hash: Hex) => hash.toLowerCase() as Hex

/** A failed transaction never reached a block, so its nonce is free (W6); a reorganised one has no block. */
function changedFields(leg: Outgoing, { move, attempt, mined, error, uncancellable }: OutgoingChange) {
  return {
    version: leg.version + 1,
    notified: false,
    ...(move === undefined ? {} : { state: move.to }),
    ...(move?.to === 'failed' ? { nonce: null } : {}),
    ...(move?.to === 'reorganised'
      ? { outcome: null, blockNumber: null, blockHash: null, settled: false, settledAt: null }
      : {}),
    ...(attempt === undefined ? {} : { hash: attempt.hash }),
    ...(mined === undefined
      ? {}
      : { ...mined, outcome: storedOutcome(mined.outcome), blockNumber: Number(mined.blockNumber) }),
    ...(error === undefined ? {} : { error }),
    ...(uncancellable === undefined ? {} : { uncancellable }),
  }
}

import { parseStoredReference, referenceText } from '../../../domain/core/reference.ts'
import type { Hex } from '../../../domain/ports/chains.ts'
import { confirmingStates, offeredStates, waitingStates } from '../../../domain/ports/moves.ts'
import type {
  ConfirmingBlock,
  Outbox,
  Outgoing,
  Queue,
  ReserveRefusal,
  ReserveRequest,
  StoredReference,
  TransactionChange,
} from '../../../domain/ports/outbox.ts'
import { appendAudit } from '../audit/audit.ts'
import { lockAccount, unlockAccount } from '../connection/account-locks.ts'
import type { Database } from '../connection/database.ts'
import { nextChange } from '../connection/signals.ts'
import { quoted } from '../connection/sql.ts'
import { UniqueViolation } from '../connection/statements.ts'
import { queryOf, type Tables } from '../connection/tables.ts'
import { AttemptEntity, OutgoingEntity } from '../entities/sending.ts'
import { auditOfChange } from './audit-sending.ts'
import { notifyOfMove } from './executions.ts'
import { attemptRow, ownerOf, readTransactions, storedOutcome } from './outgoing-rows.ts'
import { Refusal, reserve } from './reserve.ts'

/** Most times a reservation is repeated because another process wrote the reference or the account lock first. */
const mostAttempts = 20

/** Open work: the transaction waits for a block, or its follower was not notified yet. */
const hasWork = `settled = false and (told = false or state in (${quoted(waitingStates)}))`

/** The transaction merely waits for a block: a node was offered it, and its follower knows. */
const isOffered = `told = true and state in (${quoted(offeredStates)})`

/**
 * The outbox in the database. The account lock and the unique indexes on nonce and reference decide between processes.
 */
export function openOutbox(database: Database): Outbox {
  return {
    reserve: (request) => reserveOnce(database, request),
    change: (changes) => storeChanges(database, changes),
    ...transactionReads(database),
    ...accountReads(database),
    queues: queueReader(database),
    changed: (reference, signal) => nextChange(database.signals, topicOf(reference), signal),
    async markNotified(transactions, settledAt) {
      await database.transaction(async (tables) => {
        const end = settledAt === null ? {} : { settled: true, settledAt }
        for (const { id, version } of transactions.toSorted(inLockOrder))
          await tables.update(OutgoingEntity, { id, version }, { notified: true, ...end })
      })
      for (const topic of new Set(transactions.map(({ reference }) => topicOf(reference))))
        database.signals.notify(topic)
    },
    async purge(before, limit) {
      const page = { orderBy: { settledAt: 'asc' }, fields: ['id'], limit } as const
      const old = await database.tables.find(OutgoingEntity, { settledAt: { $lt: before } }, page)
      if (old.length === 0) return 0
      const id = old.map((row) => row.id)
      await database.transaction(async (tables) => {
        await tables.delete(AttemptEntity, { outgoingId: id })
        await tables.delete(OutgoingEntity, { id })
      })
      return id.length
    },
    lockAccount: async (chainId, from) => await lockAccount(database, chainId, from),
    unlockAccount: async (chainId, from) => await unlockAccount(database, chainId, from),
  }
}

function topicOf(reference: StoredReference): string {
  return `outgoing:${referenceText(reference)}`
}

/** Reserves in one database transaction (W1), which is repeated where another process wrote the same key first. */
async function reserveOnce(
  database: Database,
  request: ReserveRequest,
): Promise<readonly Outgoing[] | { refused: ReserveRefusal }> {
  for (let attempt = 1; ; attempt++) {
    try {
      const reserved = await database.transaction(async (tables) => await reserve(tables, request))
      const owner = reserved[0]?.userId
      if (request.trade !== undefined && owner != null)
        notifyOfMove(database, { id: request.trade.executionId, userId: owner })
      return reserved
    } catch (failure) {
      if (failure instanceof Refusal) return { refused: failure.reason }
      if (!(failure instanceof UniqueViolation) || attempt === mostAttempts) throw failure
    }
  }
}

/** Thrown in a transaction of changes to roll it back where another process was first. */
class ChangedMeanwhile extends Error {}

/**
 * Stores changes over the versions that were read, in one transaction (T2, W5). The signed bytes of a move to `signed`
 * are written in it (T3), and therefore before they are broadcast (W2).
 */
async function storeChanges(database: Database, changes: readonly TransactionChange[]): Promise<Outgoing[] | null> {
  if (changes.length === 0) return []
  const stored = database.transaction(async (tables) => {
    await storeFields(tables, changes)
    await storeAttempts(tables, changes)
    for (const [userId, own] of await byOwner(tables, changes))
      await appendAudit(tables, userId, ...own.flatMap(auditOfChange))
    return changes.map(outgoingAfter)
  })
  return await stored.catch((failure: unknown) => {
    if (failure instanceof ChangedMeanwhile) return null
    throw failure
  })
}

/** The order in which rows are locked everywhere: PostgreSQL ends transactions that lock them in another one. */
function inLockOrder(one: Pick<Outgoing, 'id'>, other: Pick<Outgoing, 'id'>): number {
  return one.id - other.id
}

/** Writes equal changes by one statement. */
async function storeFields(tables: Tables, changes: readonly TransactionChange[]): Promise<void> {
  const ordered = changes.toSorted((a, b) => inLockOrder(a.transaction, b.transaction))
  const equal = [
    ...Map.groupBy(ordered, (one) => JSON.stringify([one.transaction.version, changedFields(one)])).values(),
  ]
  if (equal.length < changes.length) {
    const ids = ordered.map(({ transaction }) => transaction.id)
    await tables.find(OutgoingEntity, { id: ids }, { orderBy: { id: 'asc' }, lock: 'update', fields: ['id'] })
  }
  for (const group of equal) {
    const [first] = group as [TransactionChange]
    const id = group.map(({ transaction }) => transaction.id)
    const where = { id, version: first.transaction.version }
    if ((await tables.update(OutgoingEntity, where, changedFields(first))) < group.length) throw new ChangedMeanwhile()
  }
}

/** The changes that the audit log records, by the account that owns them, in the order in which accounts are locked. */
async function byOwner(tables: Tables, changes: readonly TransactionChange[]) {
  const owned = new Map<number, TransactionChange[]>()
  for (const change of changes) {
    if (auditOfChange(change).length === 0) continue
    const { userId, from } = change.transaction
    const owner = userId ?? (await ownerOf(tables, from))
    owned.set(owner, [...(owned.get(owner) ?? []), change])
  }
  return [...owned].sort(([a], [b]) => a - b)
}

async function storeAttempts(tables: Tables, changes: readonly TransactionChange[]): Promise<void> {
  const attempts = changes.flatMap(({ transaction: { id, attempts }, change: { attempt } }) =>
    attempt === undefined ? [] : [attemptRow(id, attempts.length, attempt)],
  )
  if (attempts.length > 0) await tables.insertAll(AttemptEntity, attempts)
  const offered = changes.flatMap(({ change }) => change.offered ?? [])
  for (const [at, accepted] of Map.groupBy(offered, ({ at }) => at)) {
    const hash = accepted.map((one) => one.hash)
    await tables.update(AttemptEntity, { hash }, { offeredAt: Number(at) })
  }
}

type TransactionReads = Pick<Outbox, 'byReference' | 'byHash' | 'confirmingBlocks' | 'confirming'>

function transactionReads(database: Database): TransactionReads {
  const blocks = queryOf<{ number: string; hash: Hex; state: ConfirmingBlock['state'] }>(
    database,
    `select distinct block_number as number, block_hash as hash, state from outgoing
       where chain_id = ? and settled = false and state in (${quoted(confirmingStates)}) and block_hash is not null
       order by block_number`,
  )
  return {
    byReference: async (reference) => await readTransactions(database.tables, { reference: referenceText(reference) }),
    async byHash(hash) {
      const { tables } = database
      const attempt = await tables.findOne(AttemptEntity, { hash: hash.toLowerCase() })
      return attempt === null ? null : ((await readTransactions(tables, { id: attempt.outgoingId }))[0] ?? null)
    },
    async confirmingBlocks(chainId) {
      const rows = await blocks(chainId)
      return rows.map(({ number, hash, state }) => ({ number: BigInt(number), hash, state }))
    },
    async confirming(chainId, { number, hash, state }, after, limit) {
      const where = { chainId, settled: false, state, blockNumber: Number(number), blockHash: hash, id: { $gt: after } }
      return await readTransactions(database.tables, where, { orderBy: { id: 'asc' }, limit })
    },
  }
}

type AccountReads = Pick<Outbox, 'accountsWithWork' | 'waiting' | 'unfinished' | 'takenNonces' | 'busy' | 'newestBlock'>

function accountReads(database: Database): AccountReads {
  const accountsWhere = (where: string) =>
    queryOf<{ sender: Hex }>(
      database,
      `select distinct sender from outgoing where chain_id = ? and ${where} and sender > ? order by sender limit ?`,
    )
  const accounts = { all: accountsWhere(hasWork), at_once: accountsWhere(`${hasWork} and not (${isOffered})`) }
  const attempts = queryOf<{
    hash: Hex
    sender: Hex
    offered: string | null
    deadline: string | null
    error: string | null
  }>(
    database,
    `select hash, sender, offered, deadline, error from (
       select attempt.hash, sender, attempt.offered_at as offered, deadline, error
         from outgoing join attempt on attempt.outgoing_id = outgoing.id
         where chain_id = ? and settled = false and ${isOffered}) as waiting
       where hash > ? order by hash limit ?`,
  )
  const ofAccount = queryOf<{ id: number; reference: string }>(
    database,
    `select id, reference from outgoing where chain_id = ? and sender = ? and ${hasWork} and id > ? order by id limit ?`,
  )
  return {
    async accountsWithWork(chainId, which, after, limit) {
      return (await accounts[which](chainId, after.toLowerCase(), limit)).map(({ sender }) => sender)
    },
    async waiting(chainId, after, limit) {
      const rows = await attempts(chainId, after, limit)
      return rows.map(({ hash, sender, offered, deadline, error }) => ({
        hash,
        from: sender,
        offeredAt: offered === null ? null : BigInt(offered),
        deadline: deadline === null ? null : BigInt(deadline),
        error,
      }))
    },
    async unfinished(chainId, from, after, limit) {
      const rows = await ofAccount(chainId, from.toLowerCase(), after, limit)
      return rows.map(({ id, reference }) => ({ id, reference: parseStoredReference(reference) }))
    },
    async takenNonces(chainId, from, floor) {
      const where = { chainId, sender: from.toLowerCase(), nonce: { $gte: floor } }
      const rows = await database.tables.find(OutgoingEntity, where, { orderBy: { nonce: 'asc' }, fields: ['nonce'] })
      return rows.map(({ nonce }) => Number(nonce))
    },
    busy: async (chainId, from) => (await ofAccount(chainId, from.toLowerCase(), 0, 1)).length > 0,
    async newestBlock(chainId, from) {
      const mined = { state: [...confirmingStates], blockNumber: { $ne: null } }
      const where = { chainId, sender: from.toLowerCase(), settled: false, ...mined }
      const [row] = await database.tables.find(OutgoingEntity, where, { orderBy: { blockNumber: 'desc' }, limit: 1 })
      if (row?.blockNumber == null || row.blockHash == null) return null
      return { number: BigInt(row.blockNumber), hash: row.blockHash as Hex }
    },
  }
}

type QueueRow = { sender: Hex; reference: string; nonce: number; waiting: number | string; at: string | number | null }

/** Returns a function that reads the queues of a chain by one statement. */
function queueReader(database: Database): Outbox['queues'] {
  const rows = queryOf<QueueRow>(
    database,
    `select from_address as sender, reference, nonce, waiting, created_at as at from (
       select from_address, reference, nonce, created_at, count(*) over (partition by sender) as waiting,
           row_number() over (partition by sender order by nonce) as place
         from outgoing
         where chain_id = ? and settled = false and state in (${quoted(waitingStates)}) and nonce is not null) as queue
       where place = 1 order by created_at is not null, created_at, from_address limit ?`,
  )
  return async (chainId, limit) =>
    (await rows(chainId, limit)).map(
      ({ sender, reference, nonce, waiting, at }): Queue => ({
        from: sender,
        waiting: Number(waiting),
        first: {
          reference: parseStoredReference(reference),
          nonce: Number(nonce),
          createdAt: at === null ? null : new Date(at),
        },
      }),
    )
}

/** The transaction after the change, which was stored over the version that was read. */
function outgoingAfter({ transaction, change }: TransactionChange): Outgoing {
  const { move, attempt, offered, mined, error, uncancellable } = change
  const { version, attempts } = transaction
  const all = attempt === undefined ? attempts : [...attempts, { ...attempt, hash: lower(attempt.hash) }]
  const first = offered === undefined ? null : { hash: lower(offered.hash), at: offered.at }
  const noBlock = { outcome: null, blockNumber: null, blockHash: null }
  return {
    ...transaction,
    version: version + 1,
    notified: false,
    attempts: all.map((one) => (one.hash === first?.hash ? { ...one, offeredAt: first.at } : one)),
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

/**
 * A failed transaction cannot be mined, so its nonce is freed (W6). A reorganised one has no block. Its follower must
 * be notified of every new version (W7).
 */
function changedFields({ transaction, change }: TransactionChange) {
  const { move, attempt, mined, error, uncancellable } = change
  return {
    version: transaction.version + 1,
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

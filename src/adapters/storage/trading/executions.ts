import { bounds } from '../../../contract/shared/limits.ts'
import { awaitingStates, finalStates, statesBeforeNonce, statesWithoutNonce } from '../../../domain/ports/moves.ts'
import type {
  Begun,
  Execution,
  ExecutionChange,
  ExecutionState,
  ExecutionStep,
  Executions,
  WaitingFull,
} from '../../../domain/ports/trades.ts'
import { lockAccount } from '../accounts/lock-account.ts'
import { lockSession } from '../accounts/lock-session.ts'
import { appendAudit } from '../audit/audit.ts'
import { abandonedByDead } from '../connection/account-locks.ts'
import type { Database } from '../connection/database.ts'
import { nextChange } from '../connection/signals.ts'
import { momentOf, quoted } from '../connection/sql.ts'
import { UniqueViolation } from '../connection/statements.ts'
import { queryOf, type Tables } from '../connection/tables.ts'
import { ExecutionEntity, ExecutionMoveEntity, type ExecutionRow, UsedConfirmationEntity } from '../entities/trading.ts'
import { feedMoves, feedTopic } from '../feed/feed-events.ts'
import { auditedEvents } from './audited-events.ts'
import { changeRow, executionOf, executionRow, moveOf } from './execution-rows.ts'
import { listExecutions } from './list-executions.ts'
import { type ConfirmationUse, owedDiscards } from './owed-discards.ts'
import { tradedSums } from './traded.ts'

const executionTopic = (id: string): string => `execution:${id}`

/** Writes the newest moves of an execution to the journal. The current transaction has stored the last state. */
export async function journal(tables: Tables, ...moves: readonly Execution[]): Promise<void> {
  const text = (whole: bigint | null) => (whole === null ? null : `${whole}`)
  const rows = moves.map(({ id: executionId, step, state, message, transactionHash, updatedAt, ...rest }) => ({
    executionId,
    step,
    state,
    message,
    transactionHash,
    amountOut: text(rest.amountOut),
    gasUsed: text(rest.gasUsed),
    feeWei: text(rest.feeWei),
    blockNumber: text(rest.blockNumber),
    filledAt: rest.filledAt,
    updatedAt,
  }))
  await tables.insertAll(ExecutionMoveEntity, rows)
}

/** Executions in the database. */
export function openExecutions(database: Database): Executions {
  const owed = owedDiscards(database, (id, why, used) => discard(database, id, why, used))
  return {
    shared: database.dialect === 'postgresql',
    begin: (execution) => beginUnconfirmed(database, execution).catch(owed.beginning(execution.id)),
    async beginConfirmed(execution, confirmationId) {
      const used = { userId: execution.userId, confirmationId }
      return await beginConfirmed(database, execution, used).catch(owed.beginning(execution.id, used))
    },
    discard: (executionId, why) => discard(database, executionId, why).catch(owed.discard(executionId, why)),
    wait: (execution, step, after) => wait(database, execution, step, after),
    endWaiting: (of, why) => endWaiting(database, of, why),
    move: (execution, steps) => storeMoves(database, execution, steps),
    async explain({ id, step }, message) {
      await database.transaction(async (tables) => {
        if ((await tables.update(ExecutionEntity, { id, step }, { message })) !== 1) return
        await tables.update(ExecutionMoveEntity, { executionId: id, step }, { message })
      })
    },
    ...executionReads(database),
    ...housekeeping(database),
  }
}

/** The unique index on account and key decides between simultaneous callers; `inserted` stores more in the same transaction. */
async function begin(
  database: Database,
  execution: Execution,
  inserted?: (tables: Tables) => Promise<unknown>,
): Promise<Begun | null> {
  const { userId, idempotencyKey } = execution
  try {
    await database.transaction(async (tables) => {
      await inserted?.(tables)
      const row = { ...executionRow(execution), activeKey: idempotencyKey, holder: database.holder }
      await tables.insert(ExecutionEntity, row)
      await journal(tables, execution)
    })
    return { execution, created: true }
  } catch (failure) {
    if (!(failure instanceof UniqueViolation)) throw failure
  }
  const present = await findExecution(database, { userId, activeKey: idempotencyKey })
  return present === null ? null : { execution: present, created: false }
}

/** An execution that has the key may be discarded before it is read, so that the key is free again. */
async function beginUnconfirmed(database: Database, execution: Execution): Promise<Begun> {
  while (true) {
    const begun = await begin(database, execution)
    if (begun !== null) return begun
  }
}

/** The same with a confirmation, whose own unique index decides too. */
async function beginConfirmed(database: Database, execution: Execution, used: ConfirmationUse): Promise<Begun | null> {
  while (true) {
    const begun = await begin(database, execution, (tables) =>
      tables.insert(UsedConfirmationEntity, { ...used, usedAt: execution.createdAt }),
    )
    if (begun !== null || (await database.tables.count(UsedConfirmationEntity, used)) > 0) return begun
  }
}

/**
 * True where it ended the execution. The account is locked first, as wherever several of its rows change. `unused` is a
 * confirmation that may begin another trade then.
 */
async function discard(
  database: Database,
  executionId: string,
  why: string | undefined,
  unused?: ConfirmationUse,
): Promise<boolean> {
  const ended = await database.transaction(async (tables) => {
    const where = { id: executionId, state: [...statesWithoutNonce] }
    const known = await tables.findOne(ExecutionEntity, where, { fields: ['userId'] })
    if (known === null) return false
    await lockAccount(tables, Number(known.userId))
    const row = await tables.findOne(ExecutionEntity, where)
    if (row === null || !(await remove(tables, row, why))) return false
    if (why !== undefined) await auditRefusal(tables, row, why)
    if (unused !== undefined) await tables.delete(UsedConfirmationEntity, unused)
    return true
  })
  database.signals.notify(executionTopic(executionId))
  return ended
}

/** Deletes an execution, or keeps what a person was asked, and has not refused by itself, as rejected. */
async function remove(tables: Tables, row: ExecutionRow, why: string | undefined): Promise<boolean> {
  const { id, step, awaitedRequest } = row
  if (isWaiting(row)) return await reject(tables, row, why ?? 'It waited too long.')
  if (awaitedRequest != null && why === undefined)
    return await reject(tables, row, 'The gateway stopped before it was sent, so nothing was traded.')
  if ((await tables.delete(ExecutionEntity, { id, step, state: [...statesWithoutNonce] })) === 0) return false
  await tables.delete(ExecutionMoveEntity, { executionId: id })
  return true
}

const isWaiting = ({ state }: ExecutionRow) => awaitingStates.some((waiting) => waiting === state)

async function auditRefusal(tables: Tables, { id, userId, idempotencyKey }: ExecutionRow, why: string): Promise<void> {
  const facts = { accepted: false, reason: why, idempotency_key: idempotencyKey }
  await appendAudit(tables, Number(userId), { kind: 'decision', subject: id, facts })
}

/** Keeps what waited for the account with the reason why it was not traded, and frees its key. False where it moved on. */
async function reject(tables: Tables, row: ExecutionRow, message: string): Promise<boolean> {
  const { id, step, state } = row
  const rejected = { state: 'rejected' as const, step: step + 1, message, updatedAt: new Date() }
  const change = { ...rejected, activeKey: null }
  if ((await tables.update(ExecutionEntity, { id, step, state }, change)) === 0) return false
  await journal(tables, { ...executionOf(row), ...rejected })
  return true
}

async function endWaiting(
  database: Database,
  { userId, sessionId }: { userId: number; sessionId?: string },
  why: string,
): Promise<string[]> {
  const ended = await database.transaction(async (tables) => {
    await lockAccount(tables, userId)
    const of = sessionId === undefined ? {} : { sessionId }
    const rows = await tables.find(ExecutionEntity, { userId, state: [...awaitingStates], ...of })
    const rejected: string[] = []
    for (const row of rows) {
      // One that was confirmed meanwhile goes on.
      if (!(await reject(tables, row, why))) continue
      await auditRefusal(tables, row, why)
      rejected.push(row.id)
    }
    return rejected
  })
  for (const id of ended) database.signals.notify(executionTopic(id))
  return ended
}

/** Lets a trade wait unless as many wait already. The account is locked, so that simultaneous ones count each other. */
async function wait(
  database: Database,
  execution: Execution,
  step: ExecutionStep,
  after: Date,
): Promise<Execution | WaitingFull | null> {
  const { userId, sessionId } = execution
  const waiting = await database.transaction(async (tables) => {
    if (!(await lockAccount(tables, userId)) || !(await lockSession(tables, sessionId))) return null
    const where = { userId, state: [...awaitingStates], updatedAt: { $gt: after } }
    const fields = ['sessionId', 'updatedAt'] as const
    const rows = await tables.find(ExecutionEntity, where, { fields: [...fields], orderBy: { updatedAt: 'asc' } })
    const { account, session } = bounds.waitingTrades
    const own = rows.filter((row) => row.sessionId === sessionId)
    const [oldest, oldestOwn] = [rows[0], own[0]]
    if (own.length >= session && oldestOwn) return { full: 'session' as const, since: oldestOwn.updatedAt }
    if (rows.length >= account && oldest) return { full: 'account' as const, since: oldest.updatedAt }
    return await applyMoves(database, tables, execution, [step])
  })
  if (waiting !== null && !('full' in waiting)) notifyOfMove(database, waiting)
  return waiting
}

/** Notifies those who follow the execution or its account. */
export function notifyOfMove({ signals }: Database, { id, userId }: Pick<Execution, 'id' | 'userId'>): void {
  signals.notify(executionTopic(id))
  signals.notify(feedTopic(userId))
}

/** Stores moves over the version of the execution that was read, and their journal entries with them (T2). */
async function storeMoves(
  database: Database,
  execution: Execution,
  steps: readonly ExecutionStep[],
): Promise<Execution | null> {
  const moved = await database.transaction((tables) => applyMoves(database, tables, execution, steps))
  if (moved !== null && steps.length > 0) notifyOfMove(database, moved)
  return moved
}

async function applyMoves(
  { holder: process }: Database,
  tables: Tables,
  execution: Execution,
  steps: readonly ExecutionStep[],
): Promise<Execution | null> {
  const { id, step } = execution
  const changes: Partial<ExecutionChange> = {}
  const moves: Execution[] = []
  for (const { move, change } of steps) {
    Object.assign(changes, change)
    moves.push({ ...execution, ...changes, state: move.to, step: step + moves.length + 1 })
  }
  const [first, last] = [steps[0], moves.at(-1)]
  if (first === undefined || last === undefined) return execution
  // A trade that was confirmed belongs to the process that goes on with it.
  const holder = last.state === 'requested' ? { holder: process } : {}
  const row = { ...changeRow(changes), ...holder, state: last.state, step: last.step }
  if ((await tables.update(ExecutionEntity, { id, state: first.move.from, step }, row)) === 0) return null
  await journal(tables, ...moves)
  await feedMoves(tables, execution.userId, moves)
  if (changes.facts !== undefined) await auditRisk(tables, last)
  return last
}

/** Writes the risk check that a trade was decided by to the audit log. */
async function auditRisk(tables: Tables, { id, userId, facts }: Execution): Promise<void> {
  if (facts?.risk === undefined) return
  const { level, aggregate_score: score, flags } = facts.risk
  await appendAudit(tables, userId, { kind: 'risk', subject: id, facts: { level, score, flags } })
}

type Reads = Pick<Executions, 'find' | 'load' | 'state' | 'findByKey' | 'list' | 'history' | 'moves' | 'changed'>

function executionReads(database: Database): Reads {
  return {
    find: (userId, executionId) => findExecution(database, { userId, id: executionId }),
    load: (executionId) => findExecution(database, { id: executionId }),
    async state(id) {
      const row = await database.tables.findOne(ExecutionEntity, { id }, { fields: ['state'] })
      return row === null ? null : (row.state as ExecutionState)
    },
    findByKey: (userId, idempotencyKey) => findExecution(database, { userId, activeKey: idempotencyKey }),
    list: (userId, filter, limit) => listExecutions(database.tables, userId, filter, limit),
    history: (execution) => auditedEvents(database.tables, execution),
    async moves(executionId, afterStep) {
      const where = { executionId, step: { $gt: afterStep } }
      const rows = await database.tables.find(ExecutionMoveEntity, where, { orderBy: { step: 'asc' }, limit: 100 })
      return rows.map(moveOf)
    },
    changed: (executionId, signal) => nextChange(database.signals, executionTopic(executionId), signal),
  }
}

type Housekeeping = Pick<
  Executions,
  'abandoned' | 'purgeRejected' | 'tradedSince' | 'unconfirmed' | 'freeKeys' | 'purgeConfirmations' | 'purgeMoves'
>

function housekeeping(database: Database): Housekeeping {
  const ofDeadProcesses = abandonedByDead(database)
  // The query checks the trade of each move, so that moves of open trades do not fill the page.
  const oldMoves = queryOf<{ execution_id: string; step: number }>(
    database,
    `select execution_id, step from execution_move m where updated_at < ?
       and exists (select 1 from execution e where e.id = m.execution_id and e.state in (${quoted(finalStates)}))
       order by updated_at limit ?`,
  )
  return {
    async abandoned(before, after, limit) {
      const where = { state: [...statesBeforeNonce], id: { $gt: after }, updatedAt: { $lt: before } }
      const page = { orderBy: { id: 'asc' }, limit, fields: ['id'] } as const
      const idle = await database.tables.find(ExecutionEntity, where, page)
      const ids = new Set([...idle, ...(await ofDeadProcesses(after, limit))].map(({ id }) => id))
      return [...ids].toSorted().slice(0, limit)
    },
    async purgeRejected(before, limit) {
      const { tables } = database
      const where = { state: 'rejected', updatedAt: { $lt: before } }
      const ids = (await tables.find(ExecutionEntity, where, { fields: ['id'], limit })).map(({ id }) => id)
      if (ids.length === 0) return 0
      await tables.delete(ExecutionMoveEntity, { executionId: { $in: ids } })
      return await tables.delete(ExecutionEntity, { id: { $in: ids } })
    },
    tradedSince: (userId, since) => tradedSums(database.tables, userId, since),
    async unconfirmed(before, after, limit) {
      const where = { state: [...awaitingStates], id: { $gt: after }, updatedAt: { $lt: before } }
      const rows = await database.tables.find(ExecutionEntity, where, { orderBy: { id: 'asc' }, limit, fields: ['id'] })
      return rows.map(({ id }) => id)
    },
    async freeKeys(before, limit) {
      const { tables } = database
      // Selected by the keys in use and not by the settled trades, whose number only grows.
      const where = { activeKey: { $gt: '' }, createdAt: { $lt: before }, state: [...finalStates] }
      const old = await tables.find(ExecutionEntity, where, { fields: ['id'], limit })
      if (old.length === 0) return 0
      return await tables.update(ExecutionEntity, { id: old.map(({ id }) => id) }, { activeKey: null })
    },
    async purgeConfirmations(before, limit) {
      const { tables } = database
      const old = await tables.find(UsedConfirmationEntity, { usedAt: { $lt: before } }, { fields: ['id'], limit })
      return old.length === 0 ? 0 : await tables.delete(UsedConfirmationEntity, { id: old.map(({ id }) => id) })
    },
    async purgeMoves(before, limit) {
      const old = await oldMoves(momentOf(database.dialect, before.getTime()), limit)
      const { tables } = database
      for (const [executionId, moves] of Map.groupBy(old, (move) => move.execution_id))
        await tables.delete(ExecutionMoveEntity, { executionId, step: moves.map(({ step }) => step) })
      return old.length
    },
  }
}

type Key = { id?: string; userId?: number; activeKey?: string }

async function findExecution(database: Database, where: Key): Promise<Execution | null> {
  const row = await database.tables.findOne(ExecutionEntity, where)
  return row === null ? null : executionOf(row)
}

import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sqlite'
import type { Hex, Route } from '../../../domain/ports/chains.ts'
import { finalStates, statesBeforeNonce } from '../../../domain/ports/moves.ts'
import type {
  AnswerFacts,
  Execution,
  ExecutionChange,
  ExecutionMove,
  ExecutionState,
  Executions,
} from '../../../domain/ports/trades.ts'
import { appendAudit } from '../audit/audit.ts'
import { abandonedByDead } from '../connection/account-locks.ts'
import { nextChange } from '../connection/changes.ts'
import type { Database } from '../connection/database.ts'
import { momentOf, quoted } from '../connection/reads.ts'
import { ExecutionEntity, ExecutionMoveEntity, type ExecutionRow, type MoveRow } from '../entities/trading.ts'

export const executionTopic = (id: string): string => `execution:${id}`

/** Stores the newest state of the execution, within the current transaction. */
export async function journal(em: SqlEntityManager, execution: Execution): Promise<void> {
  const { id: executionId, step, state, message, transactionHash, updatedAt, ...rest } = execution
  const text = (whole: bigint | null) => (whole === null ? null : `${whole}`)
  const outcome = { amountOut: text(rest.amountOut), gasUsed: text(rest.gasUsed), feeWei: text(rest.feeWei) }
  const told = { transactionHash, ...outcome, blockNumber: text(rest.blockNumber), updatedAt }
  await em.insert(ExecutionMoveEntity, { executionId, step, state, message, ...told })
}

/** Executions over the database; the unique index on account and key decides between simultaneous callers. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one method for each statement of the port
export function openExecutions(database: Database): Executions {
  const orphans = abandonedByDead(database)
  // Filtered by each move, so that trades that stay open do not fill the page.
  const oldMoves = database.hotRead<{ execution_id: string; step: number }>(
    'old_moves',
    `select execution_id, step from execution_move m where updated_at < ?
       and exists (select 1 from execution e where e.id = m.execution_id and e.state in (${quoted(finalStates)}))
       order by updated_at limit ?`,
  )
  const one = async (where: { id?: string; userId?: number; activeKey?: string }): Promise<Execution | null> => {
    const row = await database.fork().findOne(ExecutionEntity, where)
    return row === null ? null : executionOf(row)
  }

  return {
    shared: database.dialect === 'postgresql',
    async begin(execution) {
      const { userId, idempotencyKey } = execution
      while (true) {
        try {
          await database.transaction(async (em) => {
            await em.insert(ExecutionEntity, {
              ...executionRow(execution),
              activeKey: execution.idempotencyKey,
              holder: database.holder,
            })
            await journal(em, execution)
          })
          return { execution, created: true }
        } catch (failure) {
          if (!(failure instanceof UniqueConstraintViolationException)) throw failure
        }
        const holder = await one({ userId, activeKey: idempotencyKey })
        if (holder !== null) return { execution: holder, created: false }
        // It was discarded between the two statements, so the key is free again.
      }
    },
    async discard(executionId, why) {
      await database.transaction(async (em) => {
        const row = why === undefined ? null : await em.findOne(ExecutionEntity, executionId)
        await em.nativeDelete(ExecutionEntity, { id: executionId, state: [...statesBeforeNonce] })
        if ((await em.count(ExecutionEntity, { id: executionId })) > 0) return
        await em.nativeDelete(ExecutionMoveEntity, { executionId })
        if (row === null) return
        const facts = { accepted: false, reason: why, idempotency_key: row.idempotencyKey }
        await appendAudit(em, { userId: Number(row.userId), kind: 'decision', subject: executionId, facts })
      })
      database.signals.notify(executionTopic(executionId))
    },
    async move(execution, move, change) {
      const { id } = execution
      const moved = await database.transaction(async (em) => {
        const where = { id, state: move.from, step: execution.step }
        const row = { ...changeRow(change), state: move.to, step: execution.step + 1 }
        if ((await em.nativeUpdate(ExecutionEntity, where, row)) === 0) return null
        const present = { ...execution, ...change, state: move.to, step: execution.step + 1 }
        await journal(em, present)
        return present
      })
      if (moved !== null) database.signals.notify(executionTopic(id))
      return moved
    },
    async explain({ id, step }, message) {
      await database.transaction(async (em) => {
        if ((await em.nativeUpdate(ExecutionEntity, { id, step }, { message })) !== 1) return
        await em.nativeUpdate(ExecutionMoveEntity, { executionId: id, step }, { message })
      })
    },
    async moves(executionId, afterStep) {
      const where = { executionId, step: { $gt: afterStep } }
      const rows = await database.fork().find(ExecutionMoveEntity, where, { orderBy: { step: 'asc' }, limit: 100 })
      return rows.map(moveOf)
    },
    async saveFacts(executionId, facts) {
      await database.transaction(async (em) => {
        await em.nativeUpdate(ExecutionEntity, { id: executionId }, { facts: JSON.stringify(facts) })
        const { risk } = facts
        if (risk === undefined) return
        const { userId } = await em.findOneOrFail(ExecutionEntity, executionId, { fields: ['userId'] })
        const { level, aggregate_score: score, flags } = risk
        const found = { level, score, flags }
        await appendAudit(em, { userId: Number(userId), kind: 'risk', subject: executionId, facts: found })
      })
    },
    find: async (userId, executionId) => await one({ userId, id: executionId }),
    load: async (executionId) => await one({ id: executionId }),
    findByKey: async (userId, idempotencyKey) => await one({ userId, activeKey: idempotencyKey }),
    async list(userId, cursor, limit) {
      const last = cursor === null ? null : await one({ userId, id: cursor })
      const older =
        last === null
          ? {}
          : { $or: [{ createdAt: { $lt: last.createdAt } }, { createdAt: last.createdAt, id: { $lt: last.id } }] }
      const orderBy = { createdAt: 'desc', id: 'desc' } as const
      const rows = await database.fork().find(ExecutionEntity, { userId, ...older }, { orderBy, limit })
      return rows.map(executionOf)
    },
    async abandoned(before, after, limit) {
      const where = { state: [...statesBeforeNonce], id: { $gt: after }, updatedAt: { $lt: before } }
      const page = { orderBy: { id: 'asc' }, limit, fields: ['id'] } as const
      const idle = await database.fork().find(ExecutionEntity, where, page)
      const ids = new Set([...idle, ...(await orphans(after, limit))].map(({ id }) => id))
      return [...ids].toSorted().slice(0, limit)
    },
    changed: (executionId, signal) => nextChange(database, executionTopic(executionId), signal),
    async freeKeys(before, limit) {
      const em = database.fork()
      // Selects by reserved keys, not by settled trades, whose number only grows.
      const where = { activeKey: { $gt: '' }, createdAt: { $lt: before }, state: [...finalStates] }
      const old = await em.find(ExecutionEntity, where, { fields: ['id'], limit })
      if (old.length === 0) return 0
      return await em.nativeUpdate(ExecutionEntity, { id: old.map(({ id }) => id) }, { activeKey: null })
    },
    async purgeMoves(before, limit) {
      const old = await oldMoves(momentOf(database.dialect, before.getTime()), limit)
      const em = database.fork()
      for (const [executionId, moves] of Map.groupBy(old, (move) => move.execution_id))
        await em.nativeDelete(ExecutionMoveEntity, { executionId, step: moves.map(({ step }) => step) })
      return old.length
    },
  }
}

const wholes = [
  'amountIn',
  'expectedOut',
  'minimumOut',
  'valueUsd',
  'amountOut',
  'gasUsed',
  'feeWei',
  'blockNumber',
] as const

/** Integers and the route as text. Undefined fields stay undefined, so that a change leaves them as they are. */
function changeRow(change: ExecutionChange) {
  const row: Record<string, unknown> = { ...change }
  for (const name of wholes) {
    const value = change[name]
    if (typeof value === 'bigint') row[name] = value.toString()
  }
  if (change.route != null) row.route = JSON.stringify(change.route)
  return row
}

function executionRow(execution: Execution): ExecutionRow {
  const facts = execution.facts === null ? null : JSON.stringify(execution.facts)
  return { ...changeRow(execution), facts } as ExecutionRow // every field of an execution is a column of the row
}

const whole = (text: string | null | undefined) => (text == null ? null : BigInt(text))

function moveOf(row: MoveRow): ExecutionMove {
  return {
    step: row.step,
    state: row.state as ExecutionState,
    message: row.message,
    transactionHash: (row.transactionHash ?? null) as Hex | null,
    amountOut: whole(row.amountOut),
    gasUsed: whole(row.gasUsed),
    feeWei: whole(row.feeWei),
    blockNumber: whole(row.blockNumber),
    updatedAt: row.updatedAt,
  }
}

/** The execution of a row. */
export function executionOf({ holder: _holder, activeKey: _key, reservedAt: _at, ...row }: ExecutionRow): Execution {
  return {
    ...row,
    facts: row.facts == null ? null : (JSON.parse(row.facts) as AnswerFacts), // written by `saveFacts` alone
    basis: row.basis ?? null,
    userId: Number(row.userId),
    walletAddress: row.walletAddress as Hex,
    quoteId: row.quoteId ?? null,
    tokenIn: row.tokenIn as Hex,
    tokenOut: row.tokenOut as Hex,
    amountIn: BigInt(row.amountIn),
    expectedOut: whole(row.expectedOut),
    minimumOut: whole(row.minimumOut),
    // `changeRow` wrote it from a route.
    route: row.route == null ? null : (JSON.parse(row.route) as Route),
    valueUsd: whole(row.valueUsd),
    state: row.state as ExecutionState,
    transactionHash: (row.transactionHash ?? null) as Hex | null,
    amountOut: whole(row.amountOut),
    gasUsed: whole(row.gasUsed),
    feeWei: whole(row.feeWei),
    blockNumber: whole(row.blockNumber),
  }
}

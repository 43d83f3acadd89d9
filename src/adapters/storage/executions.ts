import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { Hex, Route } from '../../domain/ports/chains.ts'
import type { Execution, ExecutionChange, ExecutionState, Executions } from '../../domain/ports/trades.ts'
import { nextChange } from './changes.ts'
import type { Database } from './database.ts'
import { ExecutionEntity, type ExecutionRow, QuoteUseEntity } from './entities/trading.ts'

/** States before a nonce: such an execution can still be given up. */
export const withoutNonce = ['requested', 'simulated'] as const satisfies ExecutionState[]

export const executionTopic = (id: string): string => `execution:${id}`

/** Executions over the database; the unique index on account and key decides between simultaneous callers. */
export function openExecutions(database: Database): Executions {
  const one = async (where: { id?: string; userId?: number; idempotencyKey?: string }): Promise<Execution | null> => {
    const row = await database.fork().findOne(ExecutionEntity, where)
    return row === null ? null : executionOf(row)
  }

  return {
    shared: database.dialect === 'postgresql',
    async begin(execution) {
      const { userId, idempotencyKey } = execution
      while (true) {
        try {
          await database.fork().insert(ExecutionEntity, executionRow(execution))
          return { execution, created: true }
        } catch (failure) {
          if (!(failure instanceof UniqueConstraintViolationException)) throw failure
        }
        const holder = await one({ userId, idempotencyKey })
        if (holder !== null) return { execution: holder, created: false }
        // It was discarded between the two statements: the key is free again.
      }
    },
    async discard(executionId) {
      await database.transaction(async (em) => {
        await em.nativeDelete(ExecutionEntity, { id: executionId, state: [...withoutNonce] })
        // A process may have claimed the quote after another one had discarded the execution.
        const kept = await em.count(ExecutionEntity, { id: executionId })
        if (kept === 0) await em.nativeDelete(QuoteUseEntity, { executionId })
      })
      database.signals.notify(executionTopic(executionId))
    },
    async update(executionId, from, change) {
      const where = { id: executionId, state: [...from] }
      const changed = await database.fork().nativeUpdate(ExecutionEntity, where, changeRow(change))
      if (changed > 0) database.signals.notify(executionTopic(executionId))
      return await one({ id: executionId })
    },
    find: async (userId, executionId) => await one({ userId, id: executionId }),
    load: async (executionId) => await one({ id: executionId }),
    findByKey: async (userId, idempotencyKey) => await one({ userId, idempotencyKey }),
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
    async abandoned(before) {
      const where = { state: [...withoutNonce], updatedAt: { $lt: before } }
      return (await database.fork().find(ExecutionEntity, where)).map(executionOf)
    },
    changed: (executionId, signal) => nextChange(database, executionTopic(executionId), signal),
    async claimQuote(quoteId, executionId) {
      try {
        await database.fork().insert(QuoteUseEntity, { quoteId, executionId })
        return true
      } catch (failure) {
        if (failure instanceof UniqueConstraintViolationException) return false
        throw failure
      }
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

/** Whole numbers and the route as text; what is absent stays absent, so that a change touches nothing else. */
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
  return changeRow(execution) as ExecutionRow // every field of an execution is one of the row's
}

function executionOf(row: ExecutionRow): Execution {
  const whole = (text: string | null | undefined) => (text == null ? null : BigInt(text))
  return {
    ...row,
    userId: Number(row.userId),
    walletAddress: row.walletAddress as Hex,
    quoteId: row.quoteId ?? null,
    tokenIn: row.tokenIn as Hex,
    tokenOut: row.tokenOut as Hex,
    amountIn: BigInt(row.amountIn),
    expectedOut: whole(row.expectedOut),
    minimumOut: whole(row.minimumOut),
    // Written by `changeRow` from a route; nobody else writes the column.
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

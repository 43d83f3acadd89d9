import type { Hex } from '../../../domain/ports/chains.ts'
import type { Execution, ExecutionFilter, ExecutionState } from '../../../domain/ports/trades.ts'
import { during } from '../connection/pages.ts'
import type { Tables } from '../connection/tables.ts'
import { ExecutionEntity, type ExecutionRow } from '../entities/trading.ts'
import { executionOf } from './execution-rows.ts'

/** Rows that one statement looks at, and statements of one page, so that a rare match blocks nothing for long. */
const scanned = 1_000
const mostScans = 20

const newest = { createdAt: 'desc', id: 'desc' } as const

/** A place in the list: that of an execution. */
type Place = Pick<Execution, 'id' | 'createdAt'>

/** A page of the account's executions that match, newest first. */
export async function listExecutions(
  tables: Tables,
  userId: number,
  filter: ExecutionFilter,
  limit: number,
): Promise<{ items: Execution[]; next: string | null }> {
  const fields = ['id', 'createdAt', 'state', 'tokenIn', 'tokenOut', 'agent', 'amountOut'] as const
  const found: string[] = []
  let last = filter.cursor === null ? null : await placeOf(tables, userId, filter.cursor)
  let next: string | null = null
  for (let scans = 1; ; scans += 1) {
    const where = { userId, ...during('createdAt', filter), ...after(last), ...hashOf(filter) }
    const page = filter.fits === undefined ? limit + 1 : scanned
    const rows = await tables.find(ExecutionEntity, where, { orderBy: newest, limit: page, fields })
    for (const row of rows) {
      const isMatch = matches(filter, row)
      if (isMatch && found.length === limit) next = found.at(-1) ?? null
      if (next !== null) break
      if (isMatch) found.push(row.id)
      last = row
    }
    if (next !== null || rows.length < page) break
    if (scans === mostScans) {
      next = last?.id ?? null
      break
    }
  }
  const executions = await tables.find(ExecutionEntity, { id: found }, { orderBy: newest })
  return { items: executions.map(executionOf), next }
}

async function placeOf(tables: Tables, userId: number, id: string): Promise<Place | null> {
  return await tables.findOne(ExecutionEntity, { userId, id }, { fields: ['id', 'createdAt'] })
}

function after(last: Place | null) {
  if (last === null) return {}
  return { $or: [{ createdAt: { $lt: last.createdAt } }, { createdAt: last.createdAt, id: { $lt: last.id } }] }
}

function hashOf({ transaction }: ExecutionFilter) {
  if (transaction === undefined) return {}
  const { hash, executionId } = transaction
  return { $and: [{ $or: [{ transactionHash: hash }, ...(executionId === null ? [] : [{ id: executionId }])] }] }
}

type Fields = Pick<ExecutionRow, 'state' | 'amountOut' | 'tokenIn' | 'tokenOut' | 'agent'>

function matches({ fits }: ExecutionFilter, { state, amountOut, tokenIn, tokenOut, agent }: Fields): boolean {
  if (fits === undefined) return true
  return fits({
    state: state as ExecutionState,
    amountOut: amountOut == null ? null : BigInt(amountOut),
    tokenIn: tokenIn as Hex,
    tokenOut: tokenOut as Hex,
    agent,
  })
}

import type { Execution, ExecutionFilter, ExecutionState } from '../../../domain/ports/trades.ts'
import type { Tables } from '../connection/tables.ts'
import { ExecutionEntity } from '../entities/trading.ts'
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
  const fields = ['id', 'createdAt', 'state', 'tokenIn', 'tokenOut', 'agent', 'transactionHash', 'amountOut'] as const
  const found: string[] = []
  let last = filter.cursor === null ? null : await placeOf(tables, userId, filter.cursor)
  let next: string | null = null
  for (let scans = 1; ; scans += 1) {
    const where = { userId, ...within(filter), ...after(last), ...hashOf(filter) }
    const page = isFiltered(filter) ? scanned : limit + 1
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

function within({ start, end }: ExecutionFilter) {
  const range = { ...(start === undefined ? {} : { $gte: start }), ...(end === undefined ? {} : { $lt: end }) }
  return Object.keys(range).length === 0 ? {} : { createdAt: range }
}

function hashOf({ transaction }: ExecutionFilter) {
  if (transaction === undefined) return {}
  const { hash, executionId } = transaction
  return { $and: [{ $or: [{ transactionHash: hash }, ...(executionId === null ? [] : [{ id: executionId }])] }] }
}

function isFiltered({ states, fits, tokens, agent }: ExecutionFilter): boolean {
  return states !== undefined || fits !== undefined || tokens !== undefined || agent !== undefined
}

type Fields = { state: string; amountOut?: string | null | undefined; tokenIn: string; tokenOut: string; agent: string }

function matches({ states, fits, tokens, agent }: ExecutionFilter, row: Fields): boolean {
  const state = row.state as ExecutionState
  const amountOut = row.amountOut == null ? null : BigInt(row.amountOut)
  return (
    (fits?.({ state, amountOut }) ?? true) &&
    (states?.some((state) => state === row.state) ?? true) &&
    (tokens?.some((token) => token === row.tokenIn || token === row.tokenOut) ?? true) &&
    (agent ?? row.agent) === row.agent
  )
}

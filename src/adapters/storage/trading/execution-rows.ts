import type { Hex, Route } from '../../../domain/ports/chains.ts'
import type {
  AnswerFacts,
  Execution,
  ExecutionChange,
  ExecutionMove,
  ExecutionState,
} from '../../../domain/ports/trades.ts'
import type { ExecutionRow, MoveRow } from '../entities/trading.ts'

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

/** Whole numbers, the route and the facts as text. Absent fields stay absent, so that a change updates nothing else. */
export function changeRow(change: Partial<ExecutionChange>) {
  const row: Record<string, unknown> = { ...change }
  for (const name of wholes) {
    const value = change[name]
    if (typeof value === 'bigint') row[name] = value.toString()
  }
  if (change.route != null) row.route = JSON.stringify(change.route)
  if (change.facts != null) row.facts = JSON.stringify(change.facts)
  return row
}

/** The row of an execution. */
export function executionRow(execution: Execution): ExecutionRow {
  return changeRow(execution) as ExecutionRow // every field of an execution is a column
}

const whole = (text: string | null | undefined) => (text == null ? null : BigInt(text))

/** The move of a row. */
export function moveOf(row: MoveRow): ExecutionMove {
  return {
    step: row.step,
    state: row.state as ExecutionState,
    message: row.message,
    transactionHash: (row.transactionHash ?? null) as Hex | null,
    amountOut: whole(row.amountOut),
    gasUsed: whole(row.gasUsed),
    feeWei: whole(row.feeWei),
    blockNumber: whole(row.blockNumber),
    filledAt: row.filledAt ?? null,
    updatedAt: row.updatedAt,
  }
}

/** The execution of a row. */
export function executionOf({ holder: _holder, activeKey: _key, reservedAt: _at, ...row }: ExecutionRow): Execution {
  return {
    ...row,
    facts: row.facts == null ? null : (JSON.parse(row.facts) as AnswerFacts), // `changeRow` wrote the text
    basis: row.basis ?? null,
    filledAt: row.filledAt ?? null,
    userId: Number(row.userId),
    walletAddress: row.walletAddress as Hex,
    quoteId: row.quoteId ?? null,
    sessionId: row.sessionId ?? null,
    awaitedRequest: row.awaitedRequest ?? null,
    tokenIn: row.tokenIn as Hex,
    tokenOut: row.tokenOut as Hex,
    amountIn: BigInt(row.amountIn),
    expectedOut: whole(row.expectedOut),
    minimumOut: whole(row.minimumOut),
    // `changeRow` wrote the text from a route.
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

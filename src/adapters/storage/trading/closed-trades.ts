import { hashOfOwn, parseStoredReference } from '../../../domain/core/reference.ts'
import type { Hex, Route } from '../../../domain/ports/chains.ts'
import type { Basis, Closed, ClosedFilter, TradeFacts, ValuedBy } from '../../../domain/ports/ledger.ts'
import { during } from '../connection/pages.ts'
import type { Tables } from '../connection/tables.ts'
import { FillEntity, ProfitEntity } from '../entities/books.ts'
import { ExecutionEntity } from '../entities/trading.ts'

const newest = { at: 'desc', reference: 'desc' } as const

/** A page of the account's realised profits, newest first. */
export async function closedTrades(tables: Tables, filter: ClosedFilter, limit: number): Promise<Closed[] | null> {
  const { userId, agent, after } = filter
  const last = after === null ? null : await tables.findOne(ProfitEntity, { userId, reference: after })
  if (after !== null && last === null) return null
  const where = {
    userId,
    ...(agent === undefined ? {} : { agent }),
    ...during('at', filter),
    ...(last === null ? {} : { $or: [{ at: { $lt: last.at } }, { at: last.at, reference: { $lt: last.reference } }] }),
  }
  const profits = await tables.find(ProfitEntity, where, { orderBy: newest, limit })
  const references = profits.map(({ reference }) => reference)
  const ids = references.flatMap((reference) => executionIdOf(reference) ?? [])
  const [fills, executions] = [
    await tables.find(FillEntity, { executionId: references }),
    await tables.find(ExecutionEntity, { id: ids }, { fields: ['id', 'route', 'transactionHash'] }),
  ]
  const tradeOf = new Map(fills.map((fill) => [fill.executionId, factsOf(fill)]))
  const executionOf = new Map(executions.map((execution) => [execution.id, execution]))
  return profits.map(({ reference, profitUsd, gasUsd, walletAddress, userId: _user, openedAt, ...profit }) => {
    const trade = tradeOf.get(reference)
    const execution = executionOf.get(executionIdOf(reference) ?? '')
    return {
      ...profit,
      reference,
      walletAddress: walletAddress as Hex,
      openedAt: openedAt ?? null,
      profitUsd: BigInt(profitUsd),
      gasUsd: BigInt(gasUsd),
      executionId: execution?.id ?? null,
      transactionHash: (execution?.transactionHash ?? hashOfOwn(reference)) as Hex | null,
      trade: trade === undefined ? null : { ...trade, feePips: feePips(execution?.route ?? null) },
    }
  })
}

/** The execution whose transactions a booking is of: a trade, or the end of its approval. */
function executionIdOf(reference: string): string | null {
  const of = parseStoredReference(reference)
  return of.kind === 'trade' || of.kind === 'revoke' ? of.id : null
}

function feePips(route: string | null): readonly number[] | null {
  return route === null ? null : (JSON.parse(route) as Route).feePips
}

type FillRow = {
  tokenIn: string
  tokenOut: string
  amountIn: string
  amountOut: string
  valueUsd: string
  valuedBy?: string | null | undefined
  basisQuantity?: string | null | undefined
  basisCostUsd?: string | null | undefined
  transactionHash: string
}

function factsOf(fill: FillRow): TradeFacts & { basis: Basis | null } {
  const { valuedBy, basisQuantity, basisCostUsd } = fill
  return {
    tokenIn: fill.tokenIn as Hex,
    tokenOut: fill.tokenOut as Hex,
    amountIn: BigInt(fill.amountIn),
    amountOut: BigInt(fill.amountOut),
    valueUsd: BigInt(fill.valueUsd),
    ...(valuedBy == null ? {} : { valuedBy: valuedBy as ValuedBy }),
    basis:
      basisQuantity == null || basisCostUsd == null
        ? null
        : { quantity: BigInt(basisQuantity), costUsd: BigInt(basisCostUsd) },
    transactionHash: fill.transactionHash as Hex,
  }
}

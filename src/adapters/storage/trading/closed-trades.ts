import type { Hex, Route } from '../../../domain/ports/chains.ts'
import type { Closed, ClosedFilter, TradeFacts } from '../../../domain/ports/ledger.ts'
import type { Tables } from '../connection/tables.ts'
import { FillEntity, ProfitEntity } from '../entities/books.ts'
import { ExecutionEntity } from '../entities/trading.ts'

const newest = { at: 'desc', reference: 'desc' } as const

/** A page of the account's realised profits, newest first. */
export async function closedTrades(tables: Tables, filter: ClosedFilter, limit: number): Promise<Closed[] | null> {
  const { userId, agent, start, end, after } = filter
  const last = after === null ? null : await tables.findOne(ProfitEntity, { userId, reference: after })
  if (after !== null && last === null) return null
  const range = { ...(start === undefined ? {} : { $gte: start }), ...(end === undefined ? {} : { $lt: end }) }
  const where = {
    userId,
    ...(agent === undefined ? {} : { agent }),
    ...(Object.keys(range).length === 0 ? {} : { at: range }),
    ...(last === null ? {} : { $or: [{ at: { $lt: last.at } }, { at: last.at, reference: { $lt: last.reference } }] }),
  }
  const profits = await tables.find(ProfitEntity, where, { orderBy: newest, limit })
  const references = profits.map(({ reference }) => reference)
  const [fills, executions] = [
    await tables.find(FillEntity, { executionId: references }),
    await tables.find(ExecutionEntity, { id: references }, { fields: ['id', 'route'] }),
  ]
  const tradeOf = new Map(fills.map((fill) => [fill.executionId, factsOf(fill)]))
  const pipsOf = new Map(executions.map(({ id, route }) => [id, feePips(route ?? null)]))
  return profits.map(({ reference, profitUsd, gasUsd, walletAddress, userId: _user, openedAt, ...profit }) => {
    const trade = tradeOf.get(reference)
    return {
      ...profit,
      reference,
      walletAddress: walletAddress as Hex,
      openedAt: openedAt ?? null,
      profitUsd: BigInt(profitUsd),
      gasUsd: BigInt(gasUsd),
      trade: trade === undefined ? null : { ...trade, feePips: pipsOf.get(reference) ?? null },
    }
  })
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
  transactionHash: string
}

function factsOf(fill: FillRow): TradeFacts {
  return {
    tokenIn: fill.tokenIn as Hex,
    tokenOut: fill.tokenOut as Hex,
    amountIn: BigInt(fill.amountIn),
    amountOut: BigInt(fill.amountOut),
    valueUsd: BigInt(fill.valueUsd),
    transactionHash: fill.transactionHash as Hex,
  }
}

import { LockMode } from '@mikro-orm/core'
import type { Hex } from '../../domain/ports/chains.ts'
import type { FillRow, Ledger, PositionKey, PositionRow } from '../../domain/ports/trades.ts'
import type { Database } from './database.ts'
import { AccountEntity } from './entities/accounts.ts'
import { BookingEntity, FillEntity, PositionEntity, type PositionEntityRow } from './entities/trading.ts'

/** The books over the database; an account's postings are made one after the other, in every process. */
export function openLedger(database: Database): Ledger {
  return {
    async book(reference, keys, apply) {
      const [first] = keys
      if (first === undefined) throw new Error('A booking needs at least one position.')
      return await database.transaction(async (em) => {
        await em.findOneOrFail(AccountEntity, first.userId, { lockMode: LockMode.PESSIMISTIC_WRITE })
        if ((await em.count(BookingEntity, { reference })) > 0) return false
        await em.insert(BookingEntity, { reference })
        const stored = await em.find(PositionEntity, { $or: keys.map(keyOf) })
        const { rows, fill } = apply(stored.map(positionOf))
        for (const row of rows) {
          const changed = await em.nativeUpdate(PositionEntity, keyOf(row), positionRow(row))
          if (changed === 0) await em.insert(PositionEntity, positionRow(row))
        }
        if (fill !== null) await em.insert(FillEntity, fillRow(fill))
        return true
      })
    },
    async positions({ userId, agent }) {
      const where = { userId, ...(agent === undefined ? {} : { agent }) }
      const orderBy = { agent: 'asc', walletAddress: 'asc', token: 'asc' } as const
      return (await database.fork().find(PositionEntity, where, { orderBy })).map(positionOf)
    },
    async volume({ userId, agent, start, end }) {
      const at = { ...(start === undefined ? {} : { $gte: start }), ...(end === undefined ? {} : { $lt: end }) }
      const where = { userId, ...(agent === undefined ? {} : { agent }), ...((start ?? end) ? { at } : {}) }
      const sums = new Map<string, bigint>()
      for (const fill of await database.fork().find(FillEntity, where, { fields: ['agent', 'valueUsd'] })) {
        sums.set(fill.agent, (sums.get(fill.agent) ?? 0n) + BigInt(fill.valueUsd))
      }
      return [...sums]
        .map(([name, valueUsd]) => ({ agent: name, valueUsd }))
        .sort((a, b) => (a.agent < b.agent ? -1 : 1))
    },
  }
}

/** The key alone, whatever else the object carries. */
function keyOf({ userId, agent, walletAddress, chainId, token }: PositionKey) {
  return { userId, agent, walletAddress, chainId, token }
}

function positionOf(row: PositionEntityRow): PositionRow {
  return {
    userId: Number(row.userId),
    agent: row.agent,
    walletAddress: row.walletAddress as Hex,
    chainId: row.chainId,
    token: row.token as Hex,
    quantity: BigInt(row.quantity),
    costUsd: BigInt(row.costUsd),
    realizedPnlUsd: BigInt(row.realizedPnlUsd),
    updatedAt: row.updatedAt,
  }
}

function positionRow(row: PositionRow) {
  const { quantity, costUsd, realizedPnlUsd } = row
  return { ...row, quantity: `${quantity}`, costUsd: `${costUsd}`, realizedPnlUsd: `${realizedPnlUsd}` }
}

function fillRow(fill: FillRow) {
  const { amountIn, amountOut, valueUsd, realizedPnlUsd } = fill
  const wholes = { amountIn: `${amountIn}`, amountOut: `${amountOut}`, valueUsd: `${valueUsd}` }
  return { ...fill, ...wholes, realizedPnlUsd: `${realizedPnlUsd}` }
}

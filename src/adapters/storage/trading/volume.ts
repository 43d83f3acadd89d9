import type { SqlEntityManager } from '@mikro-orm/sqlite'
import type { Booking, Ledger } from '../../../domain/ports/ledger.ts'
import type { Database } from '../connection/database.ts'
import { momentOf } from '../connection/reads.ts'
import { VolumeEntity } from '../entities/books.ts'
import { piecesOf, type Size, slotMs } from './volume-pieces.ts'

/** Adds the value of a trade to its hour and its day; a negative value removes it. Call it with the account locked. */
export async function addVolume(em: SqlEntityManager, booking: Booking, valueUsd: bigint): Promise<void> {
  for (const size of ['hour', 'day'] as const) {
    const key = keyOf(booking, size)
    const row = await em.findOne(VolumeEntity, key, { disableIdentityMap: true })
    if (row === null) await em.insert(VolumeEntity, { ...key, valueUsd: `${valueUsd}` })
    else await em.nativeUpdate(VolumeEntity, key, { valueUsd: `${BigInt(row.valueUsd) + valueUsd}` })
  }
}

/**
 * Prepares the sums by agent. Full days and hours are read from their sums, and less than an hour at each end from the
 * fills. The queries bypass the entities, because a year can have a thousand rows of just a name and a number.
 */
export function prepareVolume(database: Database): Ledger['volume'] {
  const slotted = database.hotRead<Sum>(
    'volume_slots',
    'select agent, value_usd from volume where user_id = ? and size = ? and slot >= ? and slot < ?',
  )
  const fills = database.hotRead<Sum>(
    'volume_fills',
    'select agent, value_usd from fill where user_id = ? and at >= ? and at < ?',
  )
  return async ({ userId, agent, start, end }) => {
    const { slots, rests } = piecesOf(start?.getTime() ?? null, end?.getTime() ?? null)
    const parts = await Promise.all([
      ...slots.map(({ size, from, to }) => slotted(userId, size, Math.max(from, 0), Math.min(to, lastSlot))),
      ...rests.map(({ from, to }) => fills(userId, momentOf(database.dialect, from), momentOf(database.dialect, to))),
    ])
    const sums = new Map<string, bigint>()
    for (const { agent: name, value_usd } of parts.flat()) sums.set(name, (sums.get(name) ?? 0n) + BigInt(value_usd))
    return [...sums]
      .filter(([name, valueUsd]) => valueUsd !== 0n && (agent === undefined || name === agent))
      .map(([name, valueUsd]) => ({ agent: name, valueUsd }))
      .sort((a, b) => (a.agent < b.agent ? -1 : 1))
  }
}

type Sum = { agent: string; value_usd: string }

/** The largest slot that fits into a 32-bit column, far later than any trade. */
const lastSlot = 2 ** 31 - 1

function keyOf({ userId, agent, at }: Booking, size: Size) {
  return { userId, agent, size, slot: Math.floor(at.getTime() / slotMs[size]) }
}

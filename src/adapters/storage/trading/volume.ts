import type { Booking, Ledger } from '../../../domain/ports/ledger.ts'
import type { Database } from '../connection/database.ts'
import { momentOf } from '../connection/sql.ts'
import { queryOf, type Tables } from '../connection/tables.ts'
import { VolumeEntity } from '../entities/books.ts'

export type Size = 'hour' | 'day'

/** The milliseconds of an hour and of a day. */
export const slotMs = { hour: 3_600_000, day: 86_400_000 } as const satisfies Record<Size, number>

/** Adds the value of a trade to its hour and its day; a negative value removes it. Call it with the account locked. */
export async function addVolume(tables: Tables, booking: Booking, valueUsd: bigint): Promise<void> {
  const keys = (['hour', 'day'] as const).map((size) => keyOf(booking, size))
  const rows = await tables.find(VolumeEntity, { $or: keys })
  for (const key of keys) {
    const present = rows.find(({ size }) => size === key.size)?.valueUsd ?? 0
    await tables.upsert(VolumeEntity, { ...key, valueUsd: `${BigInt(present) + valueUsd}` })
  }
}

/**
 * Prepares the sums by agent. Full days and hours are read from their sums, and less than an hour at each end from the
 * fills. The queries bypass the entities, because a year can have a thousand rows of just a name and a number.
 */
export function prepareVolume(database: Database): Ledger['volume'] {
  const slotted = queryOf<Sum>(
    database,
    'select agent, value_usd from volume where user_id = ? and size = ? and slot >= ? and slot < ?',
  )
  const fills = queryOf<Sum>(database, 'select agent, value_usd from fill where user_id = ? and at >= ? and at < ?')
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

/** Full slots at `from` or later and before `to`; infinite where the range is open. */
type Slots = { size: Size; from: number; to: number }
/** A range in milliseconds since 1970 that does not fill a slot. */
type Rest = { from: number; to: number }

/**
 * Divides a half-open time range into full days, the full hours on both sides of them, and less than an hour at each
 * end. Together the parts cover the range exactly once. An open end has no rest.
 */
export function piecesOf(start: number | null, end: number | null): { slots: Slots[]; rests: Rest[] } {
  const hours = whole('hour', start, end)
  if (hours === null) return { slots: [], rests: bounded(start, end) }
  const days = whole('day', start, end)
  const slots: Slots[] =
    days === null
      ? [hours]
      : [
          { size: 'hour', from: hours.from, to: days.from * 24 },
          days,
          { size: 'hour', from: days.to * 24, to: hours.to },
        ]
  const rests = [
    ...(start === null ? [] : bounded(start, hours.from * slotMs.hour)),
    ...(end === null ? [] : bounded(hours.to * slotMs.hour, end)),
  ]
  return { slots: slots.filter(({ from, to }) => from < to), rests }
}

function whole(size: Size, start: number | null, end: number | null): Slots | null {
  const from = start === null ? -Infinity : Math.ceil(start / slotMs[size])
  const to = end === null ? Infinity : Math.floor(end / slotMs[size])
  return from < to ? { size, from, to } : null
}

function bounded(from: number | null, to: number | null): Rest[] {
  return from === null || to === null || from >= to ? [] : [{ from, to }]
}

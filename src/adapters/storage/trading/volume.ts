import type { Hex } from '../../../domain/ports/chains.ts'
import type { Booking, GasOf, Ledger, SlotSize } from '../../../domain/ports/ledger.ts'
import { slotMs } from '../../../domain/ports/ledger.ts'
import type { Database } from '../connection/database.ts'
import { momentOf } from '../connection/sql.ts'
import { queryOf, type Tables } from '../connection/tables.ts'
import { GasEntity, VolumeEntity } from '../entities/books.ts'

/** What a slot is found by. */
type Slotted = Pick<Booking, 'userId' | 'agent' | 'at'>

/** What a trade adds to its hour and its day: its value, and the profit that it realised. */
export type Sums = { valueUsd: bigint; realizedUsd: bigint }

/** Adds sums to the hour and the day of a booking; negative ones remove them. Call it with the account locked. */
export async function addSums(tables: Tables, booking: Slotted, { valueUsd, realizedUsd }: Sums): Promise<void> {
  if (valueUsd === 0n && realizedUsd === 0n) return
  const keys = (['hour', 'day'] as const).map((size) => keyOf(booking, size))
  const rows = await tables.find(VolumeEntity, { $or: keys })
  for (const key of keys) {
    const present = rows.find(({ size }) => size === key.size)
    const sums = {
      valueUsd: `${BigInt(present?.valueUsd ?? 0) + valueUsd}`,
      realizedUsd: `${BigInt(present?.realizedUsd ?? 0) + realizedUsd}`,
    }
    await tables.upsert(VolumeEntity, { ...key, ...sums })
  }
}

/** What the gas of a booking is summed by. */
type GasPlace = Pick<Booking, 'userId' | 'chainId' | 'agent'> & { walletAddress: string }

/** Adds the cost of gas to that of its agent and wallet; less than zero removes it. Call it with the account locked. */
export async function addGas(tables: Tables, place: GasPlace, gasUsd: bigint): Promise<void> {
  if (gasUsd === 0n) return
  const { userId, chainId, agent } = place
  const key = { userId, chainId, walletAddress: place.walletAddress.toLowerCase(), agent }
  const present = await tables.findOne(GasEntity, key)
  await tables.upsert(GasEntity, { ...key, gasUsd: `${BigInt(present?.gasUsd ?? 0) + gasUsd}` })
}

/** Reads the cost of an account's gas. */
export function readGas({ tables }: Database): Ledger['gas'] {
  return async (userId) => {
    const rows = await tables.find(GasEntity, { userId })
    return rows.map(({ agent, chainId, walletAddress, gasUsd }): GasOf => {
      return { userId, agent, chainId, walletAddress: walletAddress as Hex, gasUsd: BigInt(gasUsd) }
    })
  }
}

/**
 * Prepares the sums by agent. Full days and hours are read from their sums, and less than an hour at each end from the
 * fills. The queries bypass the entities, because a year can have a thousand rows of just a name and a number.
 */
export function prepareVolume(database: Database): Ledger['volume'] {
  const slotted = queryOf<Sum>(
    database,
    'select agent, value_usd, realized_usd from volume where user_id = ? and size = ? and slot >= ? and slot < ?',
  )
  const rest = queryOf<Sum>(
    database,
    `select agent, value_usd, '0' as realized_usd from fill where user_id = ? and at >= ? and at < ?
       union all select agent, '0', profit_usd from profit where user_id = ? and at >= ? and at < ?`,
  )
  const moment = (ms: number) => momentOf(database.dialect, ms)
  return async ({ userId, agent, start, end }) => {
    const { slots, rests } = piecesOf(start?.getTime() ?? null, end?.getTime() ?? null)
    const parts = await Promise.all([
      ...slots.map(({ size, from, to }) => slotted(userId, size, Math.max(from, 0), Math.min(to, lastSlot))),
      ...rests.map(({ from, to }) => rest(userId, moment(from), moment(to), userId, moment(from), moment(to))),
    ])
    const sums = new Map<string, Sums>()
    for (const { agent: name, value_usd, realized_usd } of parts.flat()) {
      const { valueUsd, realizedUsd } = sums.get(name) ?? { valueUsd: 0n, realizedUsd: 0n }
      sums.set(name, { valueUsd: valueUsd + BigInt(value_usd), realizedUsd: realizedUsd + BigInt(realized_usd) })
    }
    return [...sums]
      .filter(([, { valueUsd, realizedUsd }]) => valueUsd !== 0n || realizedUsd !== 0n)
      .filter(([name]) => agent === undefined || name === agent)
      .map(([name, sum]) => ({ agent: name, ...sum }))
      .sort((a, b) => (a.agent < b.agent ? -1 : 1))
  }
}

/** Prepares the sums by hour or day. */
export function prepareSlots(database: Database): Ledger['slots'] {
  const slotted = queryOf<Sum & { slot: number }>(
    database,
    `select slot, agent, value_usd, realized_usd from volume
       where user_id = ? and size = ? and slot >= ? and slot < ? order by slot`,
  )
  return async ({ userId, agent, size, from, to }) => {
    const rows = await slotted(userId, size, Math.max(from, 0), Math.min(to, lastSlot))
    const wanted = rows.filter((row) => agent === undefined || row.agent === agent)
    return [...Map.groupBy(wanted, ({ slot }) => slot)].map(([slot, sums]) => ({
      slot,
      valueUsd: sums.reduce((total, sum) => total + BigInt(sum.value_usd), 0n),
      realizedUsd: sums.reduce((total, sum) => total + BigInt(sum.realized_usd), 0n),
    }))
  }
}

type Sum = { agent: string; value_usd: string; realized_usd: string }

/** The largest slot that fits into a 32-bit column, far later than any trade. */
const lastSlot = 2 ** 31 - 1

function keyOf({ userId, agent, at }: Slotted, size: SlotSize) {
  return { userId, agent, size, slot: Math.floor(at.getTime() / slotMs[size]) }
}

/** Full slots at `from` or later and before `to`; infinite where the range is open. */
type Slots = { size: SlotSize; from: number; to: number }
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

function whole(size: SlotSize, start: number | null, end: number | null): Slots | null {
  const from = start === null ? -Infinity : Math.ceil(start / slotMs[size])
  const to = end === null ? Infinity : Math.floor(end / slotMs[size])
  return from < to ? { size, from, to } : null
}

function bounded(from: number | null, to: number | null): Rest[] {
  return from === null || to === null || from >= to ? [] : [{ from, to }]
}

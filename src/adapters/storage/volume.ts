import type { SqlEntityManager } from '@mikro-orm/sqlite'
import type { Booking, VolumeFilter } from '../../domain/ports/ledger.ts'
import { FillEntity, VolumeEntity } from './entities/books.ts'
import { piecesOf, type Rest, type Size, type Slots, slotMs } from './volume-pieces.ts'

/** Adds a trade's worth to its hour and its day; below zero to take it out. Run it with the account locked. */
export async function addVolume(em: SqlEntityManager, booking: Booking, valueUsd: bigint): Promise<void> {
  for (const size of ['hour', 'day'] as const) {
    const key = keyOf(booking, size)
    const row = await em.findOne(VolumeEntity, key, { disableIdentityMap: true })
    if (row === null) await em.insert(VolumeEntity, { ...key, valueUsd: `${valueUsd}` })
    else await em.nativeUpdate(VolumeEntity, key, { valueUsd: `${BigInt(row.valueUsd) + valueUsd}` })
  }
}

/** Sums by agent: whole days and hours from their sums, and less than an hour at each end from the fills. */
export async function readVolume(em: SqlEntityManager, filter: VolumeFilter) {
  const { slots, rests } = piecesOf(filter.start?.getTime() ?? null, filter.end?.getTime() ?? null)
  const parts = await Promise.all([
    ...slots.map((piece) => em.find(VolumeEntity, { ...ownerOf(filter), size: piece.size, ...slotRange(piece) })),
    ...rests.map((rest) => em.find(FillEntity, { ...ownerOf(filter), ...timeRange(rest) }, fillFields)),
  ])
  const sums = new Map<string, bigint>()
  for (const { agent, valueUsd } of parts.flat()) sums.set(agent, (sums.get(agent) ?? 0n) + BigInt(valueUsd))
  return [...sums]
    .filter(([, valueUsd]) => valueUsd !== 0n)
    .map(([agent, valueUsd]) => ({ agent, valueUsd }))
    .sort((a, b) => (a.agent < b.agent ? -1 : 1))
}

const fillFields = { fields: ['agent', 'valueUsd'] } as const

function ownerOf({ userId, agent }: VolumeFilter) {
  return { userId, ...(agent === undefined ? {} : { agent }) }
}

function slotRange({ from, to }: Slots) {
  const range = { ...(from === -Infinity ? {} : { $gte: from }), ...(to === Infinity ? {} : { $lt: to }) }
  return Object.keys(range).length === 0 ? {} : { slot: range }
}

function timeRange({ from, to }: Rest) {
  return { at: { $gte: new Date(from), $lt: new Date(to) } }
}

function keyOf({ userId, agent, at }: Booking, size: Size) {
  return { userId, agent, size, slot: Math.floor(at.getTime() / slotMs[size]) }
}

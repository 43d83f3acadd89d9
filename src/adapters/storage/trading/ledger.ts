import type { Hex } from '../../../domain/ports/chains.ts'
import type {
  Basis,
  Booking,
  Ledger,
  Portion,
  PositionRow,
  Post,
  Posted,
  TradeFacts,
  WalletKey,
} from '../../../domain/ports/ledger.ts'
import type { Database } from '../connection/database.ts'
import { exactJson, parseExact } from '../connection/exact-json.ts'
import type { Tables } from '../connection/tables.ts'
import { AccountEntity } from '../entities/accounts.ts'
import {
  AwayEntity,
  BookingEntity,
  FillEntity,
  PositionEntity,
  type PositionEntityRow,
  ProfitEntity,
} from '../entities/books.ts'
import { feedPositions, feedTopic } from '../feed/feed-events.ts'
import { keyOfPlace, keyOfWallet, nextRevision, type Place } from './book-keys.ts'
import { closedTrades } from './closed-trades.ts'
import { earlierProfits } from './earlier-profits.ts'
import { forget, isAsRead, noteFound, ownTransfers, settle, walletBooks } from './found.ts'
import { openSnapshots } from './snapshots.ts'
import { addGas, addSums, prepareSlots, prepareVolume, readGas, type Sums } from './volume.ts'

/** A position before a booking; `row` is null where the booking created it. Earlier versions wrote no wallet. */
type Before = { agent: string; token: PositionRow['token']; wallet?: Hex; row: PositionRow | null }

/** The ledger in the database. It enforces the invariants L2 to L5 of post-booking.ts; L1 is enforced by `post`. */
export function openLedger(database: Database, post: Post): Ledger {
  return {
    async book(booking) {
      const booked = await database.transaction(async (tables) => {
        await lockAccount(tables, booking.userId) // L3
        return await enterAll(tables, post, booking, [booking])
      })
      if (booked) database.signals.notify(feedTopic(booking.userId))
      return booked
    },
    async bookFound(found) {
      const booked = await database.transaction(async (tables) => {
        await lockAccount(tables, found.userId) // L3
        if (!(await isAsRead(tables, found))) return false
        if (!(await enterAll(tables, post, found, found.bookings))) return false
        await noteFound(tables, found)
        return true
      })
      if (booked && found.bookings.length > 0) database.signals.notify(feedTopic(found.userId))
      return booked
    },
    walletBooks: (userId, chainId, wallets) => walletBooks(database.tables, { userId, chainId }, wallets),
    async booked(references) {
      if (references.length === 0) return new Set()
      const rows = await database.tables.find(BookingEntity, { reference: [...references] }, { fields: ['reference'] })
      return new Set(rows.map(({ reference }) => reference))
    },
    ownTransfers: (userId, chainId) => ownTransfers(database.tables, { userId, chainId }),
    async settleOwnTransfers(userId, chainId, finalized, left) {
      await database.transaction(async (tables) => {
        await lockAccount(tables, userId) // L3
        for (const transfer of left) {
          await unbook(tables, post, transfer.reference)
          await forget(tables, { userId, chainId }, transfer)
        }
        await settle(tables, { userId, chainId }, finalized)
      })
      if (left.length > 0) database.signals.notify(feedTopic(userId))
    },
    async unbook(reference) {
      const owner = await database.transaction(async (tables) => await unbook(tables, post, reference))
      if (owner !== null) database.signals.notify(feedTopic(owner))
      return owner !== null
    },
    async entries(reference) {
      const row = await database.tables.findOne(BookingEntity, { reference })
      return row === null ? [] : parseExact(row.entries)
    },
    async positions({ userId, agent }) {
      const where = { userId, ...(agent === undefined ? {} : { agent }) }
      const orderBy = { agent: 'asc', walletAddress: 'asc', token: 'asc' } as const
      return (await database.tables.find(PositionEntity, where, { orderBy })).map(positionOf)
    },
    async allPositions(afterUser, limit) {
      const { tables } = database
      const rows = await tables.find(
        PositionEntity,
        { userId: { $gt: afterUser } },
        { orderBy: { userId: 'asc' }, limit },
      )
      if (rows.length === 0) return []
      const last = Number(rows.at(-1)?.userId)
      const whole = rows.length < limit ? rows : rows.filter((row) => Number(row.userId) !== last)
      // An account alone may have more positions than that.
      return (whole.length > 0 ? whole : await tables.find(PositionEntity, { userId: last })).map(positionOf)
    },
    ...openSnapshots(database),
    gas: readGas(database),
    volume: prepareVolume(database),
    slots: prepareSlots(database),
    closed: (filter, limit) => closedTrades(database.tables, filter, limit),
  }
}

async function lockAccount(tables: Tables, userId: number): Promise<void> {
  const account = await tables.findOne(AccountEntity, userId, { lock: 'update' })
  if (account === null) throw new Error(`The account ${userId} of a booking does not exist.`)
}

/** Books in order. False, and nothing may be kept, where one of the references is booked already (L2). */
async function enterAll(tables: Tables, post: Post, place: Place, bookings: readonly Booking[]): Promise<boolean> {
  const references = bookings.map(({ reference }) => reference)
  if (references.length === 0) return true
  if ((await tables.count(BookingEntity, { reference: references })) > 0) return false
  const before = await positionsOf(tables, place)
  const present = byKey(before)
  const touched = new Map<string, PositionRow>()
  for (const booking of bookings) {
    for (const [key, row] of byKey(await enter(tables, post, booking, [...present.values()]))) {
      present.set(key, row)
      touched.set(key, row)
    }
  }
  await feedPositions(tables, place.userId, differing(before, [...touched.values()]))
  return true
}

/** Removes a booking (L5), and returns its account; null where it is not booked. */
async function unbook(tables: Tables, post: Post, reference: string): Promise<number | null> {
  const found = await tables.findOne(BookingEntity, { reference })
  if (found === null || found.facts === '') return null
  const place: Place = parseExact<Booking>(found.facts)
  await lockAccount(tables, place.userId) // L3
  const later = await tables.find(
    BookingEntity,
    { place: keyOfPlace(place), seq: { $gte: found.seq } },
    { orderBy: { seq: 'desc' } },
  )
  const bookings = later.map((row) => ({ ...row, booking: parseExact<Booking>(row.facts) }))
  if (!bookings.some(({ booking }) => booking.reference === reference)) return null // another process removed it first
  const held = await positionsOf(tables, place)
  for (const { booking, before, awayBefore } of bookings) {
    await remove(tables, booking, parseExact<Before[]>(before))
    if (awayBefore != null) await tables.upsert(AwayEntity, { place: keyOfPlace(place), parts: awayBefore })
  }
  for (const { booking } of bookings.toReversed()) {
    if (booking.reference !== reference) await enter(tables, post, booking, await positionsOf(tables, place))
  }
  const left = await positionsOf(tables, place)
  await feedPositions(tables, place.userId, [...differing(held, left), ...closed(held, left)])
  return place.userId
}

/** The positions of an account on a chain. */
async function positionsOf(tables: Tables, { userId, chainId }: Place): Promise<PositionRow[]> {
  return (await tables.find(PositionEntity, { userId, chainId })).map(positionOf)
}

/** The positions that are new or differ from before. */
function differing(before: readonly PositionRow[], after: readonly PositionRow[]): PositionRow[] {
  const olds = byKey(before)
  return after.filter((row) => {
    const old = olds.get(positionKey(row))
    return old === undefined || exactJson({ ...old, updatedAt: null }) !== exactJson({ ...row, updatedAt: null })
  })
}

/** The positions that are gone, as positions of nothing. */
function closed(before: readonly PositionRow[], after: readonly PositionRow[]): PositionRow[] {
  const nothing = { quantity: 0n, costUsd: 0n, realizedPnlUsd: 0n, updatedAt: new Date() }
  const news = byKey(after)
  return before.filter((row) => !news.has(positionKey(row))).map((row) => ({ ...row, ...nothing }))
}

/** Posts the booking to the present positions of its account, and writes the touched ones (L4). */
async function enter(
  tables: Tables,
  post: Post,
  booking: Booking,
  present: readonly PositionRow[],
): Promise<readonly PositionRow[]> {
  const place = keyOfPlace(booking)
  const stored = booking.movements.some(({ kind }) => kind === 'away' || kind === 'back')
    ? ((await tables.findOne(AwayEntity, place))?.parts ?? '[]')
    : '[]'
  const posted = post(booking, present, parseExact<Portion[]>(stored))
  const olds = byKey(present)
  const before = posted.rows.map((row): Before => {
    const { agent, token, walletAddress: wallet } = row
    return { agent, token, wallet, row: olds.get(positionKey(row)) ?? null }
  })
  // Addresses stay in the letter case in which they were first written, because lookups use that text.
  const rows = posted.rows.map((row, index) => ({ ...row, ...keyOf(before[index]?.row ?? row) }))
  for (const row of rows) await write(tables, row)
  if (posted.away !== null) await tables.upsert(AwayEntity, { place, parts: exactJson(posted.away) })
  await tables.insert(BookingEntity, {
    reference: booking.reference,
    place,
    seq: (await lastSeq(tables, place)) + 1,
    facts: exactJson(booking),
    entries: exactJson(posted.entries),
    before: exactJson(before),
    awayBefore: posted.away === null ? null : stored,
  })
  await countChange(tables, booking, before)
  await enterFill(tables, booking, posted)
  return rows
}

async function enterFill(tables: Tables, booking: Booking, posted: Posted): Promise<void> {
  const { trade, reference, userId, walletAddress, chainId, agent, at } = booking
  const { realizedPnlUsd, gasUsd, sale } = posted
  const fields = { userId, walletAddress, chainId, agent, at }
  const valueUsd = tradeValue(trade, posted)
  if (trade !== null)
    await tables.insert(
      FillEntity,
      fillRow({ ...fields, ...trade, valueUsd, executionId: reference, realizedPnlUsd, basis: sale?.basis ?? null }),
    )
  if (trade === null && gasUsd === 0n) return
  const profitUsd = realizedPnlUsd - gasUsd
  const profit = { profitUsd: `${profitUsd}`, gasUsd: `${gasUsd}` }
  await tables.insert(ProfitEntity, { reference, ...fields, ...profit, openedAt: sale?.openedAt ?? null })
  await addSums(tables, booking, { valueUsd, realizedUsd: profitUsd })
  await addGas(tables, booking, gasUsd)
}

/** The value of a trade, which may be the cost of what it sold. */
function tradeValue(trade: TradeFacts | null, { sale }: Posted): bigint {
  if (trade?.valuedBy === 'cost') return sale?.valueUsd ?? 0n
  return trade?.valueUsd ?? 0n
}

/** Undoes `enter` for the newest booking of its wallet, and restores the positions before it (L5). */
async function remove(tables: Tables, booking: Booking, before: readonly Before[]): Promise<void> {
  const { reference, userId, walletAddress, chainId } = booking
  let realizedUsd = 0n
  for (const { agent, token, wallet, row } of before) {
    const key = keyOf(row ?? { userId, walletAddress: wallet ?? walletAddress, chainId, agent, token })
    const now = await tables.findOne(PositionEntity, key)
    realizedUsd += BigInt(now?.realizedPnlUsd ?? 0) - (row?.realizedPnlUsd ?? 0n)
    if (row !== null) await write(tables, row)
    else await tables.delete(PositionEntity, key)
  }
  await countChange(tables, booking, before)
  await tables.delete(BookingEntity, { reference })
  const fill = await tables.findOne(FillEntity, { executionId: reference })
  if (fill !== null) await tables.delete(FillEntity, { executionId: reference })
  await removeProfit(tables, booking, { valueUsd: BigInt(fill?.valueUsd ?? 0), realizedUsd })
}

/** Takes what a booking realised out of the profits. Gas from before profits were stored is in one entry of the account. */
async function removeProfit(tables: Tables, booking: Booking, { valueUsd, realizedUsd }: Sums): Promise<void> {
  const { reference, userId } = booking
  const stored = await tables.findOne(ProfitEntity, { reference })
  if (stored !== null) await tables.delete(ProfitEntity, { reference })
  const own = BigInt(stored?.profitUsd ?? 0)
  await addGas(tables, booking, -BigInt(stored?.gasUsd ?? 0))
  await addSums(tables, booking, { valueUsd: -valueUsd, realizedUsd: -own })
  const rest = realizedUsd - own
  const earlier = rest === 0n ? null : await tables.findOne(ProfitEntity, { reference: earlierProfits(userId) })
  if (earlier === null) return
  const profitUsd = BigInt(earlier.profitUsd) - rest
  const change = { profitUsd: `${profitUsd}`, gasUsd: `${BigInt(earlier.gasUsd) + rest}` }
  await tables.update(ProfitEntity, { reference: earlier.reference }, change)
  await addGas(tables, { ...earlier, userId }, rest)
  await addSums(tables, { ...earlier, userId }, { valueUsd: 0n, realizedUsd: -rest })
}

async function write(tables: Tables, row: PositionRow): Promise<void> {
  const written = positionRow(row)
  const changed = await tables.update(PositionEntity, keyOf(row), written)
  if (changed === 0) await tables.insert(PositionEntity, written)
}

async function lastSeq(tables: Tables, place: string): Promise<number> {
  const newest = { orderBy: { seq: 'desc' }, limit: 1 } as const
  const [last] = await tables.find(BookingEntity, { place }, newest)
  return last?.seq ?? 0
}

/** Counts a change to the books of a booking's wallet, and of those whose positions it changed. */
async function countChange(tables: Tables, booking: Booking, before: readonly Before[]): Promise<void> {
  const wallets = [booking.walletAddress, ...before.flatMap(({ wallet }) => wallet ?? [])]
  for (const key of new Set(wallets.map((walletAddress) => keyOfWallet({ ...booking, walletAddress }))))
    await nextRevision(tables, key)
}

/** A trade as the ledger stores it. */
type FillRow = WalletKey &
  TradeFacts & { executionId: string; agent: string; realizedPnlUsd: bigint; basis: Basis | null; at: Date }

type Holding = Pick<PositionRow, 'quantity' | 'costUsd' | 'realizedPnlUsd' | 'openedAt' | 'updatedAt'>

/** The key of a position, without the other fields. */
function keyOf({ userId, agent, walletAddress, chainId, token }: Omit<PositionRow, keyof Holding>) {
  return { userId, agent, walletAddress, chainId, token }
}

/** Positions of an account on a chain by wallet, agent and token, in any letter case. */
function byKey(rows: readonly PositionRow[]): Map<string, PositionRow> {
  return new Map(rows.map((row) => [positionKey(row), row]))
}

function positionKey({ walletAddress, token, agent }: PositionRow): string {
  return `${walletAddress.toLowerCase()} ${token.toLowerCase()} ${agent}`
}

/** The position of a row. */
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
    openedAt: row.openedAt ?? null,
    updatedAt: row.updatedAt,
  }
}

/** The row of a position. */
function positionRow(row: PositionRow) {
  const { quantity, costUsd, realizedPnlUsd } = row
  return {
    ...row,
    openedAt: row.openedAt ?? null,
    quantity: `${quantity}`,
    costUsd: `${costUsd}`,
    realizedPnlUsd: `${realizedPnlUsd}`,
  }
}

/** The row of a trade. */
function fillRow({ basis, ...fill }: FillRow) {
  const { amountIn, amountOut, valueUsd, realizedPnlUsd } = fill
  const wholes = { amountIn: `${amountIn}`, amountOut: `${amountOut}`, valueUsd: `${valueUsd}` }
  const before = basis === null ? {} : { basisQuantity: `${basis.quantity}`, basisCostUsd: `${basis.costUsd}` }
  return { ...fill, ...wholes, ...before, realizedPnlUsd: `${realizedPnlUsd}` }
}

import type { AccountFeed, FeedEvent, FeedPlace } from '../../../domain/ports/account-feed.ts'
import type { PositionRow } from '../../../domain/ports/ledger.ts'
import type { Halt } from '../../../domain/ports/trade-policy.ts'
import type { Execution } from '../../../domain/ports/trades.ts'
import type { Database } from '../connection/database.ts'
import { parseExact } from '../connection/exact-json.ts'
import { createWaiter } from '../connection/signals.ts'
import { momentOf } from '../connection/sql.ts'
import { queryOf } from '../connection/tables.ts'
import { AccountEventEntity } from '../entities/account-feed.ts'
import { ExecutionEntity, ExecutionMoveEntity } from '../entities/trading.ts'
import { feedTopic, haltFeed } from '../feed/feed-events.ts'
import { executionOf, moveOf } from './execution-rows.ts'
import { watchFeeds } from './watch-feeds.ts'

/** The events of accounts in the database; those of other processes are found within `pollMs`. */
export function openAccountFeed(database: Database, pollMs = 500): AccountFeed {
  const { tables } = database
  const spans = queryOf<{ own: number | null; oldest: number | null; halts: number | null }>(
    database,
    `select (select last from account_feed where user_id = ?) as own,
       (select min(number) from account_event where user_id = ?) as oldest,
       (select last from account_feed where user_id = ${haltFeed}) as halts`,
  )
  return {
    async span(userId) {
      const [span] = await spans(userId, userId)
      const newest = { own: Number(span?.own ?? 0), halts: Number(span?.halts ?? 0) }
      return { newest, oldest: Number(span?.oldest ?? newest.own + 1) }
    },
    follow: follower(database, pollMs),
    async purge(before, limit) {
      const where = { at: { $lt: before } }
      const oldest = { orderBy: { at: 'asc' }, limit, fields: ['userId', 'number'] } as const
      const old = await tables.find(AccountEventEntity, where, oldest)
      // By number, because times are those of several processes: no event goes before an older one.
      for (const [userId, events] of Map.groupBy(old, (event) => event.userId))
        await tables.delete(AccountEventEntity, {
          userId,
          number: { $lte: Math.max(...events.map(({ number }) => number)) },
        })
      return old.length
    },
  }
}

/** Most events of one read. */
const page = 100

function follower(database: Database, pollMs: number): AccountFeed['follow'] {
  const eventsAfter = eventReader(database)
  const watch = watchFeeds(database, pollMs)
  return async function* (userId, start, haltsSince, signal) {
    using _watched = watch(userId)
    const news = createWaiter(database.signals, [feedTopic(userId), feedTopic(haltFeed)], signal)
    let place = start
    try {
      while (!signal.aborted) {
        const events = await eventsAfter(userId, place, haltsSince)
        for (const event of events) {
          if (signal.aborted) return
          place = event.place
          yield event
        }
        if (events.length < page) await news.wait(null)
      }
    } finally {
      news.close()
    }
  }
}

type OwnRow = { number: number; halts: number; execution: string | null; step: number | null; position: string | null }
type HaltRow = { number: number; scope: Halt['scope']; target: string; halted: boolean | number; at: string | number }
type Row = (OwnRow & { scope: null }) | (HaltRow & { [Field in Exclude<keyof OwnRow, 'number' | 'halts'>]: null })

/** Returns a function that reads the next events after a place, in the order that every reader sees. */
function eventReader(database: Database) {
  // One statement, so that no own event is missing from before a halt that is read.
  const rowsAfter = queryOf<Row>(
    database,
    `select number, halts, execution_id as execution, step, position, null as scope, null as target, null as halted, null as at
       from (select * from account_event where user_id = ? and number > ? order by number limit ${page}) as own
     union all
     select number, number, null, null, null, scope, target, halted, at from (
       select * from halt_event as halt where number > ? and at >= ?
         and (scope <> 'wallet' or exists
           (select 1 from wallet where user_id = ? and lower(address) = halt.target))
         order by number limit ${page}) as halt`,
  )
  return async (userId: number, place: FeedPlace, haltsSince: Date): Promise<FeedEvent[]> => {
    const since = momentOf(database.dialect, haltsSince.getTime())
    const rows = await rowsAfter(userId, place.own, place.halts, since, userId)
    const inOrder = merged(
      rows.filter((row) => row.scope === null),
      rows.filter((row) => row.scope !== null),
    )
    const executions = await executionsOf(database, inOrder)
    let { own } = place
    return inOrder.flatMap((row): FeedEvent[] => {
      if (isHalt(row)) {
        const { number, scope, target, halted, at } = row
        const halt = { scope, id: target }
        return [{ place: { own, halts: number }, kind: 'halt', halt, halted: Boolean(halted), at: new Date(at) }]
      }
      own = row.number
      const now = { own, halts: row.halts }
      if (row.position !== null)
        return [{ place: now, kind: 'position', position: parseExact<PositionRow>(row.position) }]
      const execution = executions(row)
      return execution === null ? [] : [{ place: now, kind: 'execution', execution }]
    })
  }
}

function isHalt(row: OwnRow | HaltRow): row is HaltRow {
  return 'scope' in row && row.scope !== null
}

/** Each halt before the first own event that counts it. Past the end of a full page, the other kind waits for the next one. */
function merged(own: readonly OwnRow[], halts: readonly HaltRow[]): (OwnRow | HaltRow)[] {
  const lastHalt = halts.length === page ? (halts.at(-1)?.number ?? 0) : Number.POSITIVE_INFINITY
  const lastCounted = own.length === page ? (own.at(-1)?.halts ?? 0) : Number.POSITIVE_INFINITY
  const rows = [
    ...halts.filter(({ number }) => number <= lastCounted).map((row) => ({ row, at: [row.number, 0] as const })),
    ...own.filter((row) => row.halts <= lastHalt).map((row) => ({ row, at: [row.halts, row.number] as const })),
  ]
  return rows.sort(({ at: a }, { at: b }) => a[0] - b[0] || a[1] - b[1]).map(({ row }) => row)
}

/** Reads the executions of a page of events together. Returns a function that finds the one of an event, as it was then. */
async function executionsOf({ tables }: Database, rows: readonly (OwnRow | HaltRow)[]) {
  const events = rows.filter((row): row is OwnRow => !isHalt(row))
  const id = [...new Set(events.flatMap(({ execution }) => execution ?? []))]
  if (id.length === 0) return () => null
  const step = [...new Set(events.flatMap(({ step }) => step ?? []))]
  const [found, moves] = [
    await tables.find(ExecutionEntity, { id }),
    await tables.find(ExecutionMoveEntity, { executionId: id, step }),
  ]
  const executions = new Map(found.map((row) => [row.id, executionOf(row)]))
  const byStep = new Map(moves.map((row) => [`${row.executionId}:${row.step}`, moveOf(row)]))
  return ({ execution: id, step }: OwnRow): Execution | null => {
    const execution = executions.get(id ?? '')
    if (execution === undefined) return null
    return { ...execution, ...byStep.get(`${id}:${step}`) }
  }
}

import type { PositionRow } from '../../../domain/ports/ledger.ts'
import { statesWithoutNonce } from '../../../domain/ports/moves.ts'
import type { Execution } from '../../../domain/ports/trades.ts'
import { exactJson } from '../connection/exact-json.ts'
import type { Tables } from '../connection/tables.ts'
import { AccountEventEntity, type AccountEventRow, HaltEventEntity } from '../entities/account-feed.ts'

/** The topic of an account's own events; with `haltFeed`, that of halts. */
export const feedTopic = (userId: number): string => `feed:${userId}`

/** Writes the moves of an account's executions to its feed, after the rows that they changed. */
export async function feedMoves(tables: Tables, userId: number, moves: readonly Execution[]): Promise<void> {
  const withNonce = moves.filter(({ state }) => !statesWithoutNonce.some((early) => early === state))
  const events = withNonce.map(({ id: executionId, step, updatedAt: at }) => {
    return { executionId, step, position: null, at }
  })
  await append(tables, userId, events)
}

/** Writes changed positions of an account to its feed, after the rows that they changed. */
export async function feedPositions(tables: Tables, userId: number, positions: readonly PositionRow[]): Promise<void> {
  const at = new Date()
  const events = positions.map((position) => ({ executionId: null, step: null, position: exactJson(position), at }))
  await append(tables, userId, events)
}

/** The account under which halts are counted. Its row exists from the first migration on. */
export const haltFeed = 0

/** In order with all own events: those are written together, and a halt alone. Row locks would let it wait for ever. */
const gate = 'halts'

/**
 * Lets no halt be set or lifted until the transaction ends: one that is being set is waited for. A trade that reads halts
 * afterwards is so either refused, or reserved before the operator who sets one is answered.
 */
export async function holdHalts(tables: Tables): Promise<void> {
  await tables.gate(gate, 'shared')
}

/** Writes a halt that was set or lifted. */
export async function feedHalt(
  tables: Tables,
  halt: { scope: string; target: string; halted: boolean; at: Date },
): Promise<void> {
  await tables.gate(gate, 'alone')
  const { last } = await count(tables, haltFeed, 1)
  await tables.insert(HaltEventEntity, { ...halt, number: last })
}

/**
 * Numbers the events under the lock of the account's feed. No halt is written meanwhile, so that the order of both is the
 * same for every reader.
 */
async function append(
  tables: Tables,
  userId: number,
  events: readonly Omit<AccountEventRow, 'userId' | 'number' | 'halts'>[],
): Promise<void> {
  if (events.length === 0) return
  await holdHalts(tables)
  const { last, halts } = await count(tables, userId, events.length)
  const first = last - events.length + 1
  await tables.insertAll(
    AccountEventEntity,
    events.map((event, index) => ({ ...event, userId, halts, number: first + index })),
  )
}

/** Counts so many events more. Returns the number of the last one, and that of the newest halt. Locks the feed. */
async function count(tables: Tables, userId: number, more: number): Promise<{ last: number; halts: number }> {
  const [feed] = await tables.query<{ last: number; halts: number | null }>(
    `insert into account_feed (user_id, last) values (?, ?)
       on conflict (user_id) do update set last = account_feed.last + excluded.last
       returning last, (select last from account_feed where user_id = ${haltFeed}) as halts`,
    userId,
    more,
  )
  if (feed === undefined) throw new Error(`The feed of account ${userId} has no number.`)
  return { last: Number(feed.last), halts: Number(feed.halts ?? 0) }
}

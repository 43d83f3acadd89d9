import type { PositionRow } from './ledger.ts'
import type { Halt } from './trade-policy.ts'
import type { Execution } from './trades.ts'

/** Milliseconds for which events are stored. */
export const feedMs = 30 * 24 * 60 * 60_000

/** How far the events of an account were read: the number of its newest own event, and of the newest halt, 0 for none. */
export type FeedPlace = { own: number; halts: number }

/**
 * An event of an account: an execution after one of its moves, a position after a booking, or a halt that was set or
 * lifted. `place` is where the reader is after it.
 */
export type FeedEvent = { place: FeedPlace } & (
  | { kind: 'execution'; execution: Execution }
  | { kind: 'position'; position: PositionRow }
  | { kind: 'halt'; halt: Halt; halted: boolean; at: Date }
)

/**
 * The events of accounts, in the order in which they were committed, over all processes. Trades have events from the move
 * to `reserved` on, because one without a nonce can still be discarded. The halts are those of everybody, of a chain and of
 * the account's own wallets.
 */
export interface AccountFeed {
  /** The place after the newest event, and the number of the oldest own event that is stored; 1 where there was none. */
  span(userId: number): Promise<{ newest: FeedPlace; oldest: number }>
  /** The events after a place, until the signal aborts. Halts from before `haltsSince` are left out. */
  follow(userId: number, place: FeedPlace, haltsSince: Date, signal: AbortSignal): AsyncGenerator<FeedEvent>
  /** Deletes own events from before the moment; returns how many, `limit` at most. */
  purge(before: Date, limit: number): Promise<number>
}

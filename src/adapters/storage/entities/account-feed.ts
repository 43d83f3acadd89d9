import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/**
 * How many events an account had; of the account 0, how many halts were set or lifted. Its row is locked until an event is
 * committed, so that events are read in the order of their numbers. No foreign key: it would lock the row of the account,
 * which other transactions lock before this one.
 */
export const AccountFeedEntity = defineEntity({
  name: 'AccountFeed',
  tableName: 'account_feed',
  properties: { userId: p.integer().primary().autoincrement(false), last: p.integer() },
})

/** One event of an account: a move of an execution, or a position after a booking. Deleted some time after it. */
export const AccountEventEntity = defineEntity({
  name: 'AccountEvent',
  tableName: 'account_event',
  primaryKeys: ['userId', 'number'],
  properties: {
    userId: p.integer().primary(),
    number: p.integer().primary(),
    at: p.datetime().length(3).index(),
    /** How many halts came before it. */
    halts: p.integer(),
    /** The execution and the step that it reached; null for a position. */
    executionId: p.text().nullable(),
    step: p.integer().nullable(),
    /** The position as JSON text; null for an execution. */
    position: p.text().nullable(),
  },
})

/** A halt that was set or lifted, stored permanently. Numbers are given out in the order of commits. */
export const HaltEventEntity = defineEntity({
  name: 'HaltEvent',
  tableName: 'halt_event',
  properties: {
    number: p.integer().primary().autoincrement(false),
    scope: p.text(),
    target: p.text(),
    halted: p.boolean(),
    at: p.datetime().length(3),
  },
})

export type AccountEventRow = InferEntity<typeof AccountEventEntity>

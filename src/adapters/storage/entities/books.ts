import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { AccountEntity } from './accounts.ts'

const account = () => p.manyToOne(AccountEntity).mapToPk().fieldName('user_id').deleteRule('cascade')

/**
 * A token that an agent holds in a wallet. Amounts are whole numbers as text, because they exceed every integer column.
 */
export const PositionEntity = defineEntity({
  name: 'Position',
  tableName: 'position',
  uniques: [{ properties: ['userId', 'agent', 'walletAddress', 'chainId', 'token'] }],
  properties: {
    id: p.integer().primary().autoincrement(),
    userId: () => account().index(false),
    agent: p.text(),
    walletAddress: p.text(),
    chainId: p.bigint('number'),
    token: p.text(),
    quantity: p.text(),
    costUsd: p.text(),
    realizedPnlUsd: p.text(),
    /** Null where an earlier version opened it. */
    openedAt: p.datetime().length(3).nullable(),
    updatedAt: p.datetime().length(3),
  },
})

/** One booking of the ledger: its facts, its lines, and the positions before it, so that it can be removed. */
export const BookingEntity = defineEntity({
  name: 'Booking',
  tableName: 'booking',
  indexes: [{ properties: ['place', 'seq'] }],
  properties: {
    reference: p.text().primary(),
    /** Account and chain in one text. */
    place: p.text().default(''),
    /** Counts the bookings of an account on a chain. */
    seq: p.integer().default(0),
    /** The booking, its lines and the positions before it as JSON text. */
    facts: p.text().default(''),
    entries: p.text().default('[]'),
    before: p.text().default('[]'),
    /** What was away over the bridge before it, as JSON text; null where it did not change. */
    awayBefore: p.text().nullable(),
  },
})

/**
 * Number of changes to the bookings of a wallet. It only grows, so that a reader can detect a change since its read. Also
 * up to which block the transactions of the wallet were read, and how many it had sent by then.
 */
export const RevisionEntity = defineEntity({
  name: 'BookRevision',
  tableName: 'book_revision',
  properties: {
    /** Account, chain and wallet in one text. */
    walletKey: p.text().fieldName('place').primary(),
    revision: p.integer(),
    tracedBlock: p.bigint('number').nullable(),
    tracedNonce: p.integer().nullable(),
  },
})

/** What an account has away over the bridge of a chain, oldest first, as JSON text. */
export const AwayEntity = defineEntity({
  name: 'Away',
  tableName: 'away',
  properties: {
    /** Account and chain in one text. */
    place: p.text().primary(),
    parts: p.text(),
  },
})

/** A booked transaction between wallets of an account, until its block is final. */
export const OwnTransferEntity = defineEntity({
  name: 'OwnTransfer',
  tableName: 'own_transfer',
  indexes: [{ properties: ['place'] }],
  properties: {
    reference: p.text().primary(),
    /** Account and chain in one text. */
    place: p.text(),
    walletAddress: p.text(),
    block: p.bigint('number'),
    blockHash: p.text(),
    /** How far the wallet was traced before it was found. */
    tracedBlock: p.bigint('number'),
    tracedNonce: p.integer(),
  },
})

export const FillEntity = defineEntity({
  name: 'Fill',
  tableName: 'fill',
  indexes: [{ properties: ['userId', 'at'] }],
  properties: {
    executionId: p.text().primary(),
    userId: () => account().index(false),
    agent: p.text(),
    walletAddress: p.text(),
    chainId: p.bigint('number'),
    tokenIn: p.text(),
    tokenOut: p.text(),
    amountIn: p.text(),
    amountOut: p.text(),
    valueUsd: p.text(),
    /** What the value is taken from: `token_in`, `token_out` or `cost`. Null where an earlier version booked it. */
    valuedBy: p.text().nullable(),
    /** The holding before the sale, quantity and cost. Null where nothing was sold, and where an earlier version booked it. */
    basisQuantity: p.text().nullable(),
    basisCostUsd: p.text().nullable(),
    realizedPnlUsd: p.text(),
    transactionHash: p.text(),
    at: p.datetime().length(3),
  },
})

/** What an agent traded and realised in an hour or a day, so that a sum need not read every fill. */
export const VolumeEntity = defineEntity({
  name: 'Volume',
  tableName: 'volume',
  primaryKeys: ['userId', 'size', 'slot', 'agent'],
  properties: {
    userId: p.integer().primary(),
    /** `hour` or `day`. */
    size: p.text().primary(),
    /** Hours or days since 1970. */
    slot: p.integer().primary(),
    agent: p.text().primary(),
    valueUsd: p.text(),
    realizedUsd: p.text().default('0'),
  },
})

/** The profit that a booking realised, after its gas; that of a trade has a fill of the same reference. */
export const ProfitEntity = defineEntity({
  name: 'Profit',
  tableName: 'profit',
  indexes: [{ properties: ['userId', 'at'] }, { properties: ['userId', 'agent', 'at'] }],
  properties: {
    reference: p.text().primary(),
    userId: p.integer(),
    agent: p.text(),
    walletAddress: p.text(),
    chainId: p.bigint('number'),
    profitUsd: p.text(),
    gasUsd: p.text(),
    openedAt: p.datetime().length(3).nullable(),
    at: p.datetime().length(3),
  },
})

/** What the gas of an agent's bookings in a wallet cost, so that a sum need not read every profit. */
export const GasEntity = defineEntity({
  name: 'Gas',
  tableName: 'gas',
  primaryKeys: ['userId', 'chainId', 'walletAddress', 'agent'],
  properties: {
    userId: p.integer().primary(),
    chainId: p.bigint('number').primary(),
    /** In lower case. */
    walletAddress: p.text().primary(),
    agent: p.text().primary(),
    gasUsd: p.text(),
  },
})

/** What the open positions of an account would bring at the end of an hour or a day, stored where it changed. */
export const SnapshotEntity = defineEntity({
  name: 'Snapshot',
  tableName: 'snapshot',
  primaryKeys: ['userId', 'size', 'slot'],
  indexes: [{ properties: ['size', 'slot'] }],
  properties: {
    userId: p.integer().primary(),
    /** `hour` or `day`. */
    size: p.text().primary(),
    /** Hours or days since 1970. */
    slot: p.integer().primary(),
    unrealizedUsd: p.text(),
  },
})

export type PositionEntityRow = InferEntity<typeof PositionEntity>

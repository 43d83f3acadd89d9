import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { AccountEntity } from './accounts.ts'

const account = () => p.manyToOne(AccountEntity).mapToPk().fieldName('user_id').deleteRule('cascade')

/**
 * A real trade, stored permanently because the account's list and the audit log refer to it. Amounts are whole numbers
 * as text, because they exceed every integer column.
 */
export const ExecutionEntity = defineEntity({
  name: 'Execution',
  tableName: 'execution',
  uniques: [{ properties: ['userId', 'activeKey'] }],
  indexes: [
    { properties: ['userId', 'createdAt'] },
    { properties: ['userId', 'reservedAt'] },
    { properties: ['activeKey', 'createdAt'] },
  ],
  properties: {
    id: p.text().primary(),
    userId: () => account().index(false),
    idempotencyKey: p.text(),
    /** The key while no other trade may use it; null once it is old enough to be reused. */
    activeKey: p.text().nullable(),
    fingerprint: p.text(),
    chainId: p.bigint('number'),
    walletRef: p.text(),
    walletAddress: p.text(),
    agent: p.text(),
    quoteId: p.text().nullable(),
    /** The session that requested it; it may be deleted since. */
    sessionId: p.text().nullable(),
    tokenIn: p.text(),
    tokenOut: p.text(),
    amountIn: p.text(),
    expectedOut: p.text().nullable(),
    minimumOut: p.text().nullable(),
    route: p.text().nullable(),
    valueUsd: p.text().nullable(),
    state: p.text().index(),
    step: p.integer().default(1),
    message: p.text(),
    /** JSON text. */
    facts: p.text().nullable(),
    /** JSON text. */
    awaitedRequest: p.text().nullable(),
    basis: p.text().nullable(),
    /** The process that began it. */
    holder: p.text().nullable(),
    transactionHash: p.text().nullable().index(),
    amountOut: p.text().nullable(),
    gasUsed: p.text().nullable(),
    feeWei: p.text().nullable(),
    blockNumber: p.text().nullable(),
    /**
     * When its nonces were reserved, from which caps count it. Null before, and in rows of versions without this
     * column.
     */
    reservedAt: p.datetime().length(3).nullable(),
    /** When the fill was read from a block; null without one. */
    filledAt: p.datetime().length(3).nullable(),
    createdAt: p.datetime().length(3),
    updatedAt: p.datetime().length(3),
  },
})

/** The journal of an execution: one row for each move, deleted some time after the last one. */
export const ExecutionMoveEntity = defineEntity({
  name: 'ExecutionMove',
  tableName: 'execution_move',
  primaryKeys: ['executionId', 'step'],
  properties: {
    executionId: p.text().primary(),
    step: p.integer().primary(),
    state: p.text(),
    message: p.text(),
    transactionHash: p.text().nullable(),
    amountOut: p.text().nullable(),
    gasUsed: p.text().nullable(),
    feeWei: p.text().nullable(),
    blockNumber: p.text().nullable(),
    filledAt: p.datetime().length(3).nullable(),
    updatedAt: p.datetime().length(3).index(),
  },
})

/** A traded quote; a quote can be used once. */
export const QuoteUseEntity = defineEntity({
  name: 'QuoteUse',
  tableName: 'quote_use',
  properties: { quoteId: p.text().primary(), executionId: p.text().index() },
})

/** A confirmation that has begun a trade, which no other may begin with. */
export const UsedConfirmationEntity = defineEntity({
  name: 'UsedConfirmation',
  tableName: 'used_confirmation',
  uniques: [{ properties: ['userId', 'confirmationId'] }],
  properties: {
    id: p.integer().primary().autoincrement(),
    userId: () => p.manyToOne(AccountEntity).mapToPk().fieldName('user_id').deleteRule('cascade').index(false),
    confirmationId: p.text(),
    usedAt: p.datetime().length(3).index(),
  },
})

/** The trade policy of one wallet; lists are JSON text. */
export const WalletPolicyEntity = defineEntity({
  name: 'WalletPolicy',
  tableName: 'wallet_policy',
  properties: {
    wallet: p.text().primary(),
    maxTradeUsd: p.text().nullable(),
    maxDailyUsd: p.text().nullable(),
    tokens: p.text().nullable(),
    venues: p.text().nullable(),
    chains: p.text().nullable(),
  },
})

/** A trading halt; the target is empty for the global one. */
export const HaltEntity = defineEntity({
  name: 'TradingHalt',
  tableName: 'trading_halt',
  primaryKeys: ['scope', 'target'],
  properties: {
    scope: p.text().primary(),
    target: p.text().primary(),
    createdAt: p.datetime().length(3),
    /** Why the gateway itself set it; null where an operator did. */
    reason: p.text().nullable(),
  },
})

/** For each chain the newest block with trades that was taken as final. */
export const FinalBlockEntity = defineEntity({
  name: 'FinalBlock',
  tableName: 'final_block',
  properties: {
    chainId: p.bigint('number').primary().autoincrement(false),
    number: p.bigint('number'),
    hash: p.text(),
  },
})

export type ExecutionRow = InferEntity<typeof ExecutionEntity>
export type MoveRow = InferEntity<typeof ExecutionMoveEntity>

import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { AccountEntity } from './accounts.ts'

const account = () => p.manyToOne(AccountEntity).mapToPk().fieldName('user_id').deleteRule('cascade')

/** A real trade. Amounts are whole numbers as text: they outgrow every integer column. */
export const ExecutionEntity = defineEntity({
  name: 'Execution',
  tableName: 'execution',
  uniques: [{ properties: ['userId', 'idempotencyKey'] }],
  indexes: [{ properties: ['userId', 'createdAt'] }],
  properties: {
    id: p.text().primary(),
    userId: () => account().index(false),
    idempotencyKey: p.text(),
    fingerprint: p.text(),
    chainId: p.bigint('number'),
    walletRef: p.text(),
    walletAddress: p.text(),
    agent: p.text(),
    quoteId: p.text().nullable(),
    tokenIn: p.text(),
    tokenOut: p.text(),
    amountIn: p.text(),
    expectedOut: p.text().nullable(),
    minimumOut: p.text().nullable(),
    route: p.text().nullable(),
    valueUsd: p.text().nullable(),
    state: p.text().index(),
    message: p.text(),
    transactionHash: p.text().nullable(),
    amountOut: p.text().nullable(),
    gasUsed: p.text().nullable(),
    feeWei: p.text().nullable(),
    blockNumber: p.text().nullable(),
    createdAt: p.datetime().length(3),
    updatedAt: p.datetime().length(3),
  },
})

/** A quote that was traded: a quote is used once. */
export const QuoteUseEntity = defineEntity({
  name: 'QuoteUse',
  tableName: 'quote_use',
  properties: { quoteId: p.text().primary(), executionId: p.text().index() },
})

/** A transaction of ours. A null nonce is free again, and both databases let any number of nulls pass the unique index. */
export const OutgoingEntity = defineEntity({
  name: 'Outgoing',
  tableName: 'outgoing',
  uniques: [{ properties: ['chainId', 'sender', 'nonce'] }, { properties: ['reference', 'position'] }],
  properties: {
    id: p.integer().primary().autoincrement(),
    chainId: p.bigint('number'),
    /** Lower case: one account is one account however its address was written. */
    sender: p.text(),
    fromAddress: p.text(),
    nonce: p.integer().nullable(),
    kind: p.text(),
    reference: p.text(),
    position: p.integer(),
    toAddress: p.text(),
    data: p.text(),
    value: p.text(),
    gas: p.text(),
    raw: p.text().nullable(),
    hash: p.text().nullable().index(),
    state: p.text(),
    error: p.text().nullable(),
    settled: p.boolean().index(),
  },
})

/** A stop order; the id is empty for the global one. */
export const HaltEntity = defineEntity({
  name: 'TradingHalt',
  tableName: 'trading_halt',
  primaryKeys: ['scope', 'target'],
  properties: { scope: p.text().primary(), target: p.text().primary(), createdAt: p.datetime().length(3) },
})

export type ExecutionRow = InferEntity<typeof ExecutionEntity>
export type OutgoingRow = InferEntity<typeof OutgoingEntity>

import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A transaction of ours, until a while after its last block is final. A null nonce is free again, and both databases let any number of nulls pass the unique index. */
export const OutgoingEntity = defineEntity({
  name: 'Outgoing',
  tableName: 'outgoing',
  uniques: [{ properties: ['chainId', 'sender', 'nonce'] }, { properties: ['reference', 'position'] }],
  indexes: [{ properties: ['chainId', 'settled', 'told', 'state'] }],
  properties: {
    id: p.integer().primary().autoincrement(),
    version: p.integer().default(1),
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
    deadline: p.bigint('number').nullable(),
    hash: p.text().nullable().index(),
    state: p.text(),
    outcome: p.text().nullable(),
    blockNumber: p.bigint('number').nullable(),
    blockHash: p.text().nullable(),
    error: p.text().nullable(),
    unfillable: p.text().nullable(),
    /** Whoever it belongs to has heard of this version. */
    told: p.boolean().default(false),
    settled: p.boolean(),
    settledAt: p.datetime().length(3).nullable().index(),
  },
})

/** Signed bytes of a transaction. Fees are whole numbers of wei as text. */
export const AttemptEntity = defineEntity({
  name: 'Attempt',
  tableName: 'attempt',
  primaryKeys: ['outgoingId', 'position'],
  properties: {
    outgoingId: p.integer().primary(),
    position: p.integer().primary(),
    purpose: p.text(),
    raw: p.text(),
    hash: p.text().unique(),
    maxFeePerGas: p.text(),
    maxPriorityFeePerGas: p.text(),
    offeredAt: p.bigint('number').nullable(),
  },
})

/** One row an account that sends, kept for good: locked while its nonces are handed out, and leased by the process that does its work. */
export const LaneEntity = defineEntity({
  name: 'Lane',
  tableName: 'lane',
  primaryKeys: ['chainId', 'sender'],
  properties: {
    chainId: p.bigint('number').primary(),
    sender: p.text().primary(),
    holder: p.text().nullable(),
  },
})

/** A process that is alive until the moment, unless it says so again. */
export const WorkerEntity = defineEntity({
  name: 'Worker',
  tableName: 'worker',
  properties: { id: p.text().primary(), until: p.datetime().length(3) },
})

export type AttemptRow = InferEntity<typeof AttemptEntity>
export type OutgoingRow = InferEntity<typeof OutgoingEntity>

import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/**
 * A transaction of the gateway, stored until some time after its block is final. A nonce that is free again becomes
 * null; the unique indexes of both databases accept any number of nulls.
 */
export const OutgoingEntity = defineEntity({
  name: 'Outgoing',
  tableName: 'outgoing',
  uniques: [{ properties: ['chainId', 'sender', 'nonce'] }, { properties: ['reference', 'position'] }],
  indexes: [{ properties: ['chainId', 'settled', 'notified', 'state'] }],
  properties: {
    id: p.integer().primary().autoincrement(),
    version: p.integer().default(1),
    chainId: p.bigint('number'),
    /** The sending address in lower case, so that each account has one value. */
    sender: p.text(),
    fromAddress: p.text(),
    /** The account whose wallet sends; 0 is the gateway itself, null where an earlier version stored the transaction. */
    userId: p.integer().nullable(),
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
    uncancellable: p.text().nullable().fieldName('unfillable'),
    /** True once the follower of the reference was notified of this version. */
    notified: p.boolean().default(false).fieldName('told'),
    settled: p.boolean(),
    settledAt: p.datetime().length(3).nullable().index(),
    /** When the nonce was reserved; null where an earlier version stored the transaction. */
    createdAt: p.datetime().length(3).nullable(),
  },
})

/** A signed form of a transaction. Fees are wei as text; a legacy transaction has an empty tip. */
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

/**
 * The lease on a sending account, or under the name `watch` on a chain as a whole, never deleted. The row is locked while
 * nonces are reserved, and `holder` is the process that works on it.
 */
export const AccountLockEntity = defineEntity({
  name: 'AccountLock',
  tableName: 'lane',
  primaryKeys: ['chainId', 'sender'],
  properties: {
    chainId: p.bigint('number').primary(),
    sender: p.text().primary(),
    holder: p.text().nullable(),
    /** Grows whenever another process takes the account over. */
    fence: p.bigint('number').default(0),
  },
})

/** A process, which counts as alive until the stored time. It renews the time while it runs. */
export const WorkerEntity = defineEntity({
  name: 'Worker',
  tableName: 'worker',
  properties: {
    id: p.text().primary(),
    until: p.datetime().length(3),
    /** Fingerprints of the master keys and of the operator token that it knows; null where it has not said so yet. */
    masterKeys: p.text().nullable(),
    operatorToken: p.text().nullable(),
    /** `gateway`, `worker` or both with a comma; null where it has not said so. */
    roles: p.text().nullable(),
  },
})

export type AttemptRow = InferEntity<typeof AttemptEntity>
export type OutgoingRow = InferEntity<typeof OutgoingEntity>

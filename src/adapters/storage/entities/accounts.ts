import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

export const AccountEntity = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    id: p.integer().primary().autoincrement(),
    email: p.text().unique(),
    passwordHash: p.text(),
    createdAt: p.datetime().length(3),
    /** Tokens of an earlier generation are refused. */
    generation: p.integer().default(0),
    /** Its e-mail is erased, and its password hash is empty once its keys are. */
    deletedAt: p.datetime().length(3).nullable(),
  },
})

/** A user token that was logged out before it expired. */
export const RevokedTokenEntity = defineEntity({
  name: 'RevokedToken',
  tableName: 'revoked_token',
  properties: {
    id: p.text().primary(),
    expiresAt: p.datetime().length(3).index(),
  },
})

/** How often a password was guessed wrong; what a row counts is hashed. Only PostgreSQL uses it: its processes share it. */
export const GuessCountEntity = defineEntity({
  name: 'GuessCount',
  tableName: 'guess_count',
  properties: {
    id: p.text().primary(),
    /** Numbers of the limiter, as JSON text. */
    counts: p.text(),
    expiresAt: p.datetime().length(3).index(),
  },
})

export const SessionEntity = defineEntity({
  name: 'Session',
  tableName: 'session',
  indexes: [{ properties: ['userId', 'createdAt'] }],
  properties: {
    id: p.text().primary(),
    userId: () => p.manyToOne(AccountEntity).mapToPk().fieldName('user_id').deleteRule('cascade'),
    name: p.text(),
    createdAt: p.datetime().length(3),
    /** What it may do, as JSON text; null is everything. */
    grantFacts: p.text().nullable(),
    /** The end of its newest token, and its last use, as of at most a minute ago. Null in rows of earlier versions. */
    expiresAt: p.datetime().length(3).nullable(),
    lastUsedAt: p.datetime().length(3).nullable(),
    lastUsedProtocol: p.text().nullable(),
    lastUsedAddress: p.text().nullable(),
    /** Size of the history, updated with each message because each message is checked against the limits. */
    messageCount: p.integer().default(0),
    messageCharacters: p.integer().default(0),
    /** Bytes of its messages and of the pieces of its answers, by which the account's storage is bounded. */
    storedBytes: p.integer().default(0),
  },
})

export const WalletEntity = defineEntity({
  name: 'Wallet',
  tableName: 'wallet',
  uniques: [{ properties: ['userId', 'ref'] }],
  properties: {
    id: p.integer().primary().autoincrement(),
    userId: () => p.manyToOne(AccountEntity).mapToPk().fieldName('user_id').deleteRule('cascade'),
    ref: p.text(),
    /** Lower case: addresses are compared as bytes, not by their checksum. */
    addressKey: p.text().unique(),
    address: p.text(),
    /** Null where a remote signer holds the key. */
    sealedKey: p.text().nullable(),
    funding: p.text().index(),
    /** True where its key was made here, by a version that traces its transactions from the first one. */
    fresh: p.boolean().default(false),
    /**
     * Failed payments of the starting money, how many of them were mined, why the last failed, and when the next is
     * due.
     */
    fundingTries: p.integer().default(0),
    fundingMined: p.integer().default(0),
    fundingError: p.text().nullable(),
    fundingRetryAt: p.datetime().length(3).nullable(),
    createdAt: p.datetime().length(3),
  },
})

/** An address, or the /64 of an IPv6 one, that an account was used from, with the time of its last note. */
export const KnownAddressEntity = defineEntity({
  name: 'KnownAddress',
  tableName: 'known_address',
  properties: {
    userId: () => p.manyToOne(AccountEntity).mapToPk().fieldName('user_id').primary().deleteRule('cascade'),
    address: p.text().primary(),
    seenAt: p.datetime().length(3).index(),
  },
})

export type AccountRow = InferEntity<typeof AccountEntity>
export type SessionRow = InferEntity<typeof SessionEntity>
export type WalletRow = InferEntity<typeof WalletEntity>

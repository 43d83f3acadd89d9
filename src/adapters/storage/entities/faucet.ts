import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A granted claim, stored permanently because it counts against its caller. Only a digest of the caller is stored. */
export const FaucetClaimEntity = defineEntity({
  name: 'FaucetClaim',
  tableName: 'faucet_claim',
  indexes: [{ properties: ['addressKey', 'createdAt'] }, { properties: ['callerKey', 'createdAt'] }],
  properties: {
    id: p.text().primary(),
    chainId: p.bigint('number').default(0),
    address: p.text(),
    addressKey: p.text(),
    callerKey: p.text().default(''),
    amount: p.text(),
    cooldownMs: p.bigint('number').default(86_400_000),
    state: p.text().default('sent').index(),
    hash: p.text().nullable().index(),
    createdAt: p.datetime().length(3),
  },
})

/** One row: the sum of all claims of a UTC day in wei. It is locked while claims are counted. */
export const FaucetDayEntity = defineEntity({
  name: 'FaucetDay',
  tableName: 'faucet_day',
  properties: { id: p.integer().primary(), day: p.text(), paid: p.text() },
})

export type FaucetClaimRow = InferEntity<typeof FaucetClaimEntity>

export type FaucetDayRow = InferEntity<typeof FaucetDayEntity>

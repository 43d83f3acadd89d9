import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { AccountEntity, SessionEntity } from './accounts.ts'

/** Amounts are decimal text in smallest units, because no database integer holds 256 bits. */
export const QuoteEntity = defineEntity({
  name: 'Quote',
  tableName: 'quote',
  indexes: [{ properties: ['expiresAt'] }],
  properties: {
    id: p.text().primary(),
    userId: () => p.manyToOne(AccountEntity).mapToPk().fieldName('user_id').deleteRule('cascade'),
    chainId: p.bigint('number'),
    tokenIn: p.text(),
    tokenOut: p.text(),
    amountIn: p.text(),
    requestedAmount: p.text().fieldName('asked').default(''),
    expectedOut: p.text(),
    spotOut: p.text(),
    slippageBps: p.integer(),
    priceImpactBps: p.integer(),
    transferTaxBps: p.integer().nullable(),
    gasEstimate: p.text(),
    /** The route as JSON text. */
    route: p.text(),
    expiresAt: p.datetime().length(3),
    createdAt: p.datetime().length(3),
  },
})

/** A quote that an answer has shown in a session. */
export const OfferEntity = defineEntity({
  name: 'QuoteOffer',
  tableName: 'quote_offer',
  indexes: [{ properties: ['sessionId', 'id'] }],
  properties: {
    id: p.integer().primary().autoincrement(),
    sessionId: () => p.manyToOne(SessionEntity).mapToPk().fieldName('session_id').deleteRule('cascade').index(false),
    quoteId: () => p.manyToOne(QuoteEntity).mapToPk().fieldName('quote_id').deleteRule('cascade').index(false).unique(),
    walletRef: p.text().nullable(),
    offeredAt: p.datetime().length(3),
  },
})

export type QuoteRow = InferEntity<typeof QuoteEntity>
export type OfferRow = InferEntity<typeof OfferEntity>

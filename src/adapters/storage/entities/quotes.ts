import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { AccountEntity } from './accounts.ts'

/** Amounts are decimal text in smallest units: no database integer holds 256 bits. */
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
    asked: p.text().default(''),
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

export type QuoteRow = InferEntity<typeof QuoteEntity>

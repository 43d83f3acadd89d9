import { defineEntity, p } from '@mikro-orm/core'
import { AccountEntity } from './accounts.ts'

/** A subscription of an account to a market of the exchange. */
export const MarketSubscriptionEntity = defineEntity({
  name: 'MarketSubscription',
  tableName: 'market_subscription',
  properties: {
    id: p.text().primary(),
    userId: () => p.manyToOne(AccountEntity).mapToPk().fieldName('user_id').deleteRule('cascade'),
    symbol: p.text(),
    /** Names of streams, separated by commas. */
    streams: p.text(),
    interval: p.text().fieldName('candle_interval'),
    createdAt: p.datetime().length(3),
  },
})

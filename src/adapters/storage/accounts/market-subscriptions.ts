import type { MarketStream, MarketSubscriptions } from '../../../domain/ports/market.ts'
import type { Database } from '../connection/database.ts'
import { queryOf } from '../connection/tables.ts'
import { createWatch } from '../connection/watch.ts'
import { AccountEntity } from '../entities/accounts.ts'
import { MarketSubscriptionEntity } from '../entities/market.ts'

/** Market subscriptions in the database. A listener notices a removal by another process within `pollMs`. */
export function openMarketSubscriptions(database: Database, pollMs = 1_000): MarketSubscriptions {
  const exists = queryOf<{ one: number }>(database, 'select 1 as one from market_subscription where id = ?')
  const removals = createWatch(
    database,
    'market-subscription-removed',
    async (id) => (await exists(id)).length === 0,
    pollMs,
  )
  return {
    async create({ streams, ...fields }, limit) {
      return await database.transaction(async (tables) => {
        await tables.findOne(AccountEntity, fields.userId, { lock: 'update' })
        if ((await tables.count(MarketSubscriptionEntity, { userId: fields.userId })) >= limit) return false
        await tables.insert(MarketSubscriptionEntity, { ...fields, streams: streams.join(',') })
        return true
      })
    },
    async find(userId, id) {
      const row = await database.tables.findOne(MarketSubscriptionEntity, { id, userId })
      if (row === null) return null
      const { symbol, interval, createdAt } = row
      // `create` wrote this text from names of this type.
      return { id, userId, symbol, interval, createdAt, streams: row.streams.split(',') as MarketStream[] }
    },
    async remove(userId, id) {
      const removed = await database.tables.delete(MarketSubscriptionEntity, { id, userId })
      if (removed > 0) removals.notify(id)
      return removed > 0
    },
    onRemoved: (id, listener) => removals.listen(id, listener),
  }
}

import type { Offer, Offers } from '../../domain/ports/offers.ts'
import type { Database } from './database.ts'
import { OfferEntity, type OfferRow } from './entities/quotes.ts'

/** Shown quotes over the database, ordered by their number. */
export function openOffers(database: Database): Offers {
  return {
    async save(offer) {
      await database.fork().insert(OfferEntity, offer)
    },
    async find(sessionId, quoteId) {
      const row = await database.fork().findOne(OfferEntity, { sessionId, quoteId })
      return row && offerOf(row)
    },
    async since(sessionId, moment) {
      const where = { sessionId, offeredAt: { $gte: moment } }
      return (await database.fork().find(OfferEntity, where, { orderBy: { id: 'asc' } })).map(offerOf)
    },
    async clear(sessionId) {
      await database.fork().nativeDelete(OfferEntity, { sessionId })
    },
  }
}

function offerOf(row: Pick<OfferRow, 'walletRef' | 'offeredAt'> & { sessionId: string; quoteId: string }): Offer {
  const { quoteId, sessionId, walletRef = null, offeredAt } = row
  return { quoteId, sessionId, walletRef, offeredAt }
}

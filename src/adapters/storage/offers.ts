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
      return offerOf(await database.fork().findOne(OfferEntity, { sessionId, quoteId }))
    },
    async newest(sessionId) {
      return offerOf(await database.fork().findOne(OfferEntity, { sessionId }, { orderBy: { id: 'desc' } }))
    },
    async clear(sessionId) {
      await database.fork().nativeDelete(OfferEntity, { sessionId })
    },
  }
}

function offerOf(
  row: (Pick<OfferRow, 'walletRef' | 'offeredAt'> & { sessionId: string; quoteId: string }) | null,
): Offer | null {
  if (row === null) return null
  const { quoteId, sessionId, walletRef = null, offeredAt } = row
  return { quoteId, sessionId, walletRef, offeredAt }
}

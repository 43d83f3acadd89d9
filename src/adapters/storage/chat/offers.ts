import type { Offer, Offers } from '../../../domain/ports/conversations.ts'
import type { Database } from '../connection/database.ts'
import { ChatStreamEntity } from '../entities/conversations.ts'
import { OfferEntity, type OfferRow } from '../entities/quotes.ts'

/** Shown quotes in the database, ordered by their id. */
export function openOffers(database: Database): Offers {
  return {
    async save(offer, answerId) {
      await database.transaction(async (tables) => {
        // The row is locked while the offer is written, so that clearing the history at the same time deletes the offer too.
        const lock = { lock: 'share' } as const
        const answer = await tables.findOne(ChatStreamEntity, { id: answerId, state: 'running' }, lock)
        if (answer !== null) await tables.insert(OfferEntity, { ...offer, sessionId: answer.sessionId })
      })
    },
    async find(sessionId, quoteId) {
      const row = await database.tables.findOne(OfferEntity, { sessionId, quoteId })
      return row && offerOf(row)
    },
    async since(sessionId, moment) {
      const where = { sessionId, offeredAt: { $gte: moment } }
      return (await database.tables.find(OfferEntity, where, { orderBy: { id: 'asc' } })).map(offerOf)
    },
  }
}

function offerOf(row: Pick<OfferRow, 'walletRef' | 'offeredAt'> & { sessionId: string; quoteId: string }): Offer {
  const { quoteId, sessionId, walletRef = null, offeredAt } = row
  return { quoteId, sessionId, walletRef, offeredAt }
}

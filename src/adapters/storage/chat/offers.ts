import { LockMode } from '@mikro-orm/core'
import type { Offer, Offers } from '../../../domain/ports/conversations.ts'
import type { Database } from '../connection/database.ts'
import { ChatStreamEntity } from '../entities/conversations.ts'
import { OfferEntity, type OfferRow } from '../entities/quotes.ts'

/** Shown quotes in the database, ordered by their id. */
export function openOffers(database: Database): Offers {
  return {
    async save(offer, answerId) {
      await database.transaction(async (em) => {
        // The row is locked while the offer is written, so that clearing the history at the same time deletes the offer too.
        const lock = { lockMode: LockMode.PESSIMISTIC_READ } as const
        const answer = await em.findOne(ChatStreamEntity, { id: answerId, state: 'running' }, lock)
        if (answer !== null) await em.insert(OfferEntity, { ...offer, sessionId: answer.sessionId })
      })
    },
    async find(sessionId, quoteId) {
      const row = await database.fork().findOne(OfferEntity, { sessionId, quoteId })
      return row && offerOf(row)
    },
    async since(sessionId, moment) {
      const where = { sessionId, offeredAt: { $gte: moment } }
      return (await database.fork().find(OfferEntity, where, { orderBy: { id: 'asc' } })).map(offerOf)
    },
  }
}

function offerOf(row: Pick<OfferRow, 'walletRef' | 'offeredAt'> & { sessionId: string; quoteId: string }): Offer {
  const { quoteId, sessionId, walletRef = null, offeredAt } = row
  return { quoteId, sessionId, walletRef, offeredAt }
}

import { LRUCache } from 'lru-cache'
import type { KnownAddresses } from '../../../domain/ports/accounts.ts'
import type { Database } from '../connection/database.ts'
import { KnownAddressEntity } from '../entities/accounts.ts'

/** How many addresses of an account are kept, the latest, and for how long. */
const kept = { addresses: 20, days: 90 }
const dayMs = 86_400_000

/** Known addresses in the database, written once a day for each. */
export function openKnownAddresses(database: Database): KnownAddresses {
  const noted = new LRUCache<string, true>({ max: 50_000, ttl: dayMs })

  async function write(userId: number, address: string, now: Date): Promise<void> {
    await database.transaction(async (em) => {
      await em.upsert(KnownAddressEntity, { userId, address, seenAt: now })
      const old = { userId, seenAt: { $lt: new Date(now.getTime() - kept.days * dayMs) } }
      await em.nativeDelete(KnownAddressEntity, old)
      const orderBy = { seenAt: 'desc' } as const
      const past = await em.find(KnownAddressEntity, { userId }, { orderBy, offset: kept.addresses, limit: 1 })
      for (const { seenAt } of past) await em.nativeDelete(KnownAddressEntity, { userId, seenAt: { $lte: seenAt } })
    })
  }

  return {
    async note(userId, address, now) {
      const id = `${userId} ${address}`
      if (noted.has(id)) return
      noted.set(id, true)
      try {
        await write(userId, address, now)
      } catch (failure) {
        noted.delete(id)
        throw failure
      }
    },
    async has(userId, address) {
      return (await database.fork().count(KnownAddressEntity, { userId: userId ?? 0, address })) > 0
    },
  }
}

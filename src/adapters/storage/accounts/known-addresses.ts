import { LRUCache } from 'lru-cache'
import { type KnownAddresses, knownAddressMs } from '../../../domain/ports/accounts.ts'
import type { Database } from '../connection/database.ts'
import { KnownAddressEntity } from '../entities/accounts.ts'
import { lockAccount } from './lock-account.ts'

/** The latest addresses of an account that are kept. */
const keptAddresses = 20
const dayMs = 86_400_000

/** Known addresses in the database, written once a day for each. A failed write goes to `failed` and is tried again. */
export function openKnownAddresses(database: Database, failed: (failure: unknown) => void): KnownAddresses {
  const noted = new LRUCache<string, true>({ max: 50_000, ttl: dayMs })

  async function write(userId: number, address: string, seenAt: Date): Promise<void> {
    await database.transaction(async (tables) => {
      if (!(await lockAccount(tables, userId))) return
      await tables.upsert(KnownAddressEntity, { userId, address, seenAt })
      const orderBy = { seenAt: 'desc' } as const
      const past = await tables.find(KnownAddressEntity, { userId }, { orderBy, offset: keptAddresses, limit: 1 })
      for (const old of past) await tables.delete(KnownAddressEntity, { userId, seenAt: { $lte: old.seenAt } })
    })
  }

  return {
    async note(userId, address, now) {
      const id = `${userId} ${address}`
      if (noted.has(id)) return
      noted.set(id, true)
      await write(userId, address, now).catch((failure: unknown) => {
        noted.delete(id)
        failed(failure)
      })
    },
    async has(userId, address, now) {
      const seenAt = { $gte: new Date(now.getTime() - knownAddressMs) }
      return (await database.tables.count(KnownAddressEntity, { userId: userId ?? 0, address, seenAt })) > 0
    },
    async purge(before, limit) {
      const page = { orderBy: { seenAt: 'asc' }, limit, fields: ['seenAt'] } as const
      const old = await database.tables.find(KnownAddressEntity, { seenAt: { $lt: before } }, page)
      const last = old.at(-1)
      if (last !== undefined) await database.tables.delete(KnownAddressEntity, { seenAt: { $lte: last.seenAt } })
      return old.length
    },
  }
}

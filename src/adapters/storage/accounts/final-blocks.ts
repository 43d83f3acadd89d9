import type { Hex } from '../../../domain/ports/chains.ts'
import type { FinalBlocks } from '../../../domain/ports/trade-policy.ts'
import type { Database } from '../connection/database.ts'
import { FinalBlockEntity } from '../entities/trading.ts'
import { feedTopic, haltFeed } from '../feed/feed-events.ts'
import { haltChain } from './halts.ts'

/** The newest final blocks in the database, where every process sees them. */
export function openFinalBlocks(database: Database): FinalBlocks {
  return {
    async newest(chainId) {
      const row = await database.tables.findOne(FinalBlockEntity, { chainId })
      return row === null ? null : { number: BigInt(row.number), hash: row.hash as Hex }
    },
    async note(chainId, block) {
      await database.transaction(async (tables) => {
        const present = await tables.findOne(FinalBlockEntity, { chainId })
        if (present !== null && BigInt(present.number) >= block.number) return
        await tables.upsert(FinalBlockEntity, { chainId, number: Number(block.number), hash: block.hash })
      })
    },
    async halt({ chainId, block, remembered, reason, at }) {
      const halted = await database.transaction(async (tables) => {
        const forgotten = await tables.delete(FinalBlockEntity, { chainId, hash: block.hash })
        // It is not there where another process has halted already, or where a later block was noted meanwhile.
        const isDone = remembered && forgotten === 0 && (await tables.findOne(FinalBlockEntity, { chainId })) === null
        if (isDone) return false
        return await haltChain(tables, { chainId, reason, at })
      })
      if (halted) database.signals.notify(feedTopic(haltFeed))
      return halted
    },
  }
}

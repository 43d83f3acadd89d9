import type { NodeFilter, NodeFilters } from '../../../domain/ports/node-filters.ts'
import type { Database } from '../connection/database.ts'
import { NodeFilterEntity } from '../entities/node-filters.ts'

/** Filters of one chain over the database, where every process finds them; those of other chains are not there. */
export function openNodeFilters(database: Database, chainId: number): NodeFilters {
  return {
    async create(filter) {
      const { criteria, told, ...fields } = filter
      const texts = { criteria: JSON.stringify(criteria), told: JSON.stringify(told) }
      await database.fork().insert(NodeFilterEntity, { ...fields, ...texts, chainId })
    },
    async find(id) {
      const row = await database.fork().findOne(NodeFilterEntity, { id, chainId })
      if (row === null) return null
      const { kind, owner, readAt, reads } = row
      // These texts were written by `create` and `advance` from values of these types.
      const criteria = JSON.parse(row.criteria) as NodeFilter['criteria']
      return { id, kind, owner, criteria, told: JSON.parse(row.told) as NodeFilter['told'], readAt, reads }
    },
    async advance({ id, reads }, told, at) {
      const next = { told: JSON.stringify(told), readAt: at, reads: reads + 1 }
      return (await database.fork().nativeUpdate(NodeFilterEntity, { id, reads }, next)) === 1
    },
    async count(owner) {
      return await database.fork().count(NodeFilterEntity, { owner })
    },
    async remove(id) {
      return (await database.fork().nativeDelete(NodeFilterEntity, { id, chainId })) === 1
    },
    async purge(readBefore) {
      await database.fork().nativeDelete(NodeFilterEntity, { readAt: { $lt: readBefore } })
    },
  }
}

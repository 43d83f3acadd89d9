import type { NodeFilter, NodeFilters } from '../../../domain/ports/node.ts'
import type { Database } from '../connection/database.ts'
import { NodeFilterEntity } from '../entities/node-filters.ts'

/** Filters of one chain in the database, which all processes share. */
export function openNodeFilters(database: Database, chainId: number): NodeFilters {
  return {
    async create(filter) {
      const { criteria, reported, ...fields } = filter
      const texts = { criteria: JSON.stringify(criteria), reported: JSON.stringify(reported) }
      await database.tables.insert(NodeFilterEntity, { ...fields, ...texts, chainId })
    },
    async find(id) {
      const row = await database.tables.findOne(NodeFilterEntity, { id, chainId })
      if (row === null) return null
      const { kind, owner, readAt, reads } = row
      // `create` and `advance` wrote these texts from values of these types.
      const criteria = JSON.parse(row.criteria) as NodeFilter['criteria']
      return { id, kind, owner, criteria, reported: JSON.parse(row.reported) as NodeFilter['reported'], readAt, reads }
    },
    async advance({ id, reads }, reported, at) {
      const next = { reported: JSON.stringify(reported), readAt: at, reads: reads + 1 }
      return (await database.tables.update(NodeFilterEntity, { id, reads }, next)) === 1
    },
    async count(owner) {
      return await database.tables.count(NodeFilterEntity, { owner })
    },
    async remove(id) {
      return (await database.tables.delete(NodeFilterEntity, { id, chainId })) === 1
    },
    async purge(readBefore) {
      await database.tables.delete(NodeFilterEntity, { readAt: { $lt: readBefore } })
    },
  }
}

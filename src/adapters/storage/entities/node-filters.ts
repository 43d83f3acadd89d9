import { defineEntity, p } from '@mikro-orm/core'

/** A filter of the chain's methods that is polled. */
export const NodeFilterEntity = defineEntity({
  name: 'NodeFilter',
  tableName: 'node_filter',
  indexes: [{ properties: ['readAt'] }, { properties: ['owner'] }],
  properties: {
    id: p.text().primary(),
    /** The API key or the client address that made it. */
    owner: p.text().default(''),
    chainId: p.bigint('number').default(0),
    kind: p.enum(['logs', 'blocks', 'pending']),
    /** A log filter as JSON text. */
    criteria: p.text(),
    /** Blocks as JSON text, newest first. */
    told: p.text(),
    readAt: p.datetime().length(3),
    reads: p.integer(),
  },
})

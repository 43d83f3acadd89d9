import { defineEntity, p } from '@mikro-orm/core'

/** A polled filter of the chain's methods. */
export const NodeFilterEntity = defineEntity({
  name: 'NodeFilter',
  tableName: 'node_filter',
  indexes: [{ properties: ['readAt'] }, { properties: ['owner'] }],
  properties: {
    id: p.text().primary(),
    /** The API key or the client address that created it. */
    owner: p.text().default(''),
    chainId: p.bigint('number').default(0),
    kind: p.enum(['logs', 'blocks', 'pending']),
    /** A log filter as JSON text. */
    criteria: p.text(),
    /** Reported blocks as JSON text, newest first. */
    reported: p.text().fieldName('told'),
    readAt: p.datetime().length(3),
    reads: p.integer(),
  },
})

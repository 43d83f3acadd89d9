import { defineEntity, p } from '@mikro-orm/core'

/**
 * One entry of the audit log, stored permanently. `hash` covers the previous entry's hash and all other fields of the
 * row.
 */
export const AuditEntity = defineEntity({
  name: 'Audit',
  tableName: 'audit',
  primaryKeys: ['userId', 'seq'],
  properties: {
    userId: p.integer().primary(),
    seq: p.integer().primary(),
    at: p.text(),
    kind: p.text(),
    subject: p.text().index(),
    facts: p.text(),
    hash: p.text(),
  },
})

/** The newest entry of each account, so that entries removed at the end are detected. */
export const AuditHeadEntity = defineEntity({
  name: 'AuditHead',
  tableName: 'audit_head',
  properties: { userId: p.integer().primary(), seq: p.integer(), hash: p.text() },
})

import { defineEntity, p } from '@mikro-orm/core'

/** What all processes of the database must have in common: fingerprints of secrets, and the first block of each chain. */
export const PinEntity = defineEntity({
  name: 'Pin',
  tableName: 'pin',
  properties: {
    name: p.text().primary(),
    value: p.text(),
    /** Where a secret came from: a setting or a file; the number of a block. */
    about: p.text(),
  },
})

import type { DatabaseSync } from 'node:sqlite'

/** Runs writes that take effect all together, or not at all where one of them throws. */
export function allOrNothing(database: DatabaseSync, write: () => void): void {
  database.exec('BEGIN')
  try {
    write()
    database.exec('COMMIT')
  } catch (error) {
    // Of a full disk SQLite takes everything back by itself, and a second time would fail and hide the cause.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

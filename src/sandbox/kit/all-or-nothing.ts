import type { DatabaseSync } from 'node:sqlite'

/** Runs writes in one transaction: all of them take effect, or none where one throws. */
export function allOrNothing(database: DatabaseSync, write: () => void): void {
  database.exec('BEGIN')
  try {
    write()
    database.exec('COMMIT')
  } catch (error) {
    // SQLite rolls back by itself when the disk is full. A second rollback would throw and hide the cause.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

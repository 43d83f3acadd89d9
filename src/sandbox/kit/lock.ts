import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Takes the folder for this process, or throws. The lock is SQLite's on an empty database file: the system itself
 * gives it back however the process ends, so there is no stale lock to judge.
 */
export function lockDirectory(dir: string): { release: () => void } {
  const database = new DatabaseSync(join(dir, 'lock'), { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    database.close()
    throw new Error(`${dir} is in use by another gateway: stop it, or give this one a data directory of its own`, {
      cause,
    })
  }
  return { release: () => database.close() }
}

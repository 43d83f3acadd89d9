import { join } from 'node:path'
import { openPrivate } from './private-files.ts'

/**
 * Locks a folder for this process, or throws. The lock is SQLite's on an empty database file: the system releases it
 * however the process ends, so that no lock can be stale.
 */
export function lockDirectory(dir: string): { release: () => void } {
  const database = openPrivate(join(dir, 'lock'), { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    database.close()
    throw new Error(`${dir} is in use by another gateway. Stop that one, or set DATA_DIR to another folder.`, {
      cause,
    })
  }
  return { release: () => database.close() }
}

import { chmodSync, closeSync, lstatSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite'

/** Opens a database file that only its owner may read, or creates it. SQLite gives its log the same mode. */
export function openPrivate(file: string, options: DatabaseSyncOptions = {}): DatabaseSync {
  if (file !== ':memory:') createPrivate(file)
  return new DatabaseSync(file, options)
}

function createPrivate(file: string): void {
  try {
    // Only a new file is opened here: closing one that exists would release the locks that this process has on it.
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Closes a folder and what is in it to other users of the machine: earlier versions left some files open to them. What
 * belongs to somebody else, such as a copy that the administrator made, stays as it is.
 */
export function makePrivate(dir: string): void {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' })
  for (const path of [dir, ...names.map((name) => join(dir, name))]) {
    const entry = lstatSync(path, { throwIfNoEntry: false })
    if (entry === undefined || (entry.mode & 0o077) === 0) continue
    try {
      if (entry.isDirectory()) chmodSync(path, 0o700)
      else if (entry.isFile()) chmodSync(path, 0o600)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
    }
  }
}

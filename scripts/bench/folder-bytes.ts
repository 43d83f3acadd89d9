import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The bytes of all files below a folder, except in folders named `except`. */
export function folderBytes(folder: string, except?: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    if (entry.name === except) return sum
    const path = join(folder, entry.name)
    return sum + (entry.isDirectory() ? folderBytes(path, except) : entry.isFile() ? statSync(path).size : 0)
  }, 0)
}

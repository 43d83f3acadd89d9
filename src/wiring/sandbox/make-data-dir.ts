import { mkdirSync } from 'node:fs'

/** Creates DATA_DIR, for its owner alone. */
export function makeDataDir(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new Error(`DATA_DIR ${path} cannot be created. Set a folder that this process may write to.`, { cause })
  }
}
